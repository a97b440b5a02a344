#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <strings.h>

/* Swift cannot call what is variadic, and sees the enumerations of this library otherwise from version
 * to version: here they are numbers. */

struct clocksmith_http_handlers {
  void *context;
  /* The head of a request (*request is NULL), a piece of its body, or its end (*count is 0).
   * 0 ends the connection without an answer. */
  int (*received)(void *context, struct MHD_Connection *connection, void **request,
                  const char *path, const char *method, const char *bytes, size_t *count);
  /* A request is over, answered or not. */
  void (*completed)(void *context, struct MHD_Connection *connection, void *request);
  /* A connection is there, or it is about to go. */
  void (*connected)(void *context, struct MHD_Connection *connection, int is_there);
};

struct clocksmith_http_limits {
  unsigned int connections;
  unsigned int connections_of_address;
  /* Without a byte in either direction. */
  unsigned int idle_seconds;
  /* For the head of a request and what is read of its body at once. */
  size_t bytes_of_connection;
};

static inline enum MHD_Result clocksmith_http_received(void *context,
                                                       struct MHD_Connection *connection,
                                                       const char *path, const char *method,
                                                       const char *version, const char *bytes,
                                                       size_t *count, void **request) {
  const struct clocksmith_http_handlers *handlers = context;
  (void)version;
  return handlers->received(handlers->context, connection, request, path, method, bytes, count)
             ? MHD_YES
             : MHD_NO;
}

static inline void clocksmith_http_completed(void *context, struct MHD_Connection *connection,
                                             void **request,
                                             enum MHD_RequestTerminationCode code) {
  const struct clocksmith_http_handlers *handlers = context;
  (void)code;
  handlers->completed(handlers->context, connection, *request);
  *request = NULL;
}

static inline void clocksmith_http_connected(void *context, struct MHD_Connection *connection,
                                             void **socket_context,
                                             enum MHD_ConnectionNotificationCode code) {
  const struct clocksmith_http_handlers *handlers = context;
  (void)socket_context;
  handlers->connected(handlers->context, connection, code == MHD_CONNECTION_NOTIFY_STARTED);
}

/* Leaves a path as it was sent: no path of ours needs an escape, and a decoded zero byte would end it. */
static inline size_t clocksmith_http_unescape(void *context, struct MHD_Connection *connection,
                                              char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

/* Serves at an address, a sockaddr, by the caller's loop. NULL with errno if it cannot. The handlers
 * have to stay as long as it does; with a certificate and a key (PEM) it is TLS 1.2 or later. */
static inline struct MHD_Daemon *clocksmith_http_start(
    const void *address, struct clocksmith_http_limits limits, const char *certificate,
    const char *key, struct clocksmith_http_handlers *handlers) {
  unsigned int flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
  if (((const struct sockaddr *)address)->sa_family == AF_INET6) flags |= MHD_USE_DUAL_STACK;
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-TLS1.0:-VERS-TLS1.1"},
      {MHD_OPTION_END, 0, NULL}};
  struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
  int is_tls = certificate != NULL && key != NULL;
  return MHD_start_daemon(
      is_tls ? flags | MHD_USE_TLS : flags, 0, NULL, NULL, clocksmith_http_received, handlers,
      MHD_OPTION_SOCK_ADDR, address, MHD_OPTION_CONNECTION_LIMIT, limits.connections,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, limits.connections_of_address,
      MHD_OPTION_CONNECTION_TIMEOUT, limits.idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      limits.bytes_of_connection, MHD_OPTION_UNESCAPE_CALLBACK, clocksmith_http_unescape, NULL,
      MHD_OPTION_NOTIFY_COMPLETED, clocksmith_http_completed, handlers,
      MHD_OPTION_NOTIFY_CONNECTION, clocksmith_http_connected, handlers, MHD_OPTION_ARRAY,
      is_tls ? tls : none, MHD_OPTION_END);
}

/* The descriptor that is readable when there is something to do. */
static inline int clocksmith_http_epoll(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

/* In how many milliseconds there is something to do anyhow; -1 for never. */
static inline long long clocksmith_http_wait(struct MHD_Daemon *daemon) {
  MHD_UNSIGNED_LONG_LONG milliseconds = 0;
  return MHD_get_timeout(daemon, &milliseconds) == MHD_YES ? (long long)milliseconds : -1;
}

/* NULL if the request has no such header. */
static inline const char *clocksmith_http_header(struct MHD_Connection *connection,
                                                 const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

struct clocksmith_http_count {
  int lengths;
  int is_coded;
};

static inline enum MHD_Result clocksmith_http_counted(void *context, enum MHD_ValueKind kind,
                                                      const char *name, const char *value) {
  struct clocksmith_http_count *count = context;
  (void)kind;
  (void)value;
  if (strcasecmp(name, "Content-Length") == 0) count->lengths++;
  if (strcasecmp(name, "Transfer-Encoding") == 0) count->is_coded = 1;
  return MHD_YES;
}

/* Not 0 if the head tells the end of the body in two ways (RFC 9112, 6.3). A proxy may have taken the
 * other one. */
static inline int clocksmith_http_is_ambiguous(struct MHD_Connection *connection) {
  struct clocksmith_http_count count = {0, 0};
  MHD_get_connection_values(connection, MHD_HEADER_KIND, clocksmith_http_counted, &count);
  return count.lengths + count.is_coded > 1;
}

static inline int clocksmith_http_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/* For a stream: a client that has gone without a word is noticed after ten seconds, and one that reads nothing
 * holds little. */
static inline void clocksmith_http_limit_stream(struct MHD_Connection *connection) {
  int socket = clocksmith_http_socket(connection), bytes = 16384;
  unsigned int milliseconds = 10000;
  setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

static inline const struct sockaddr *clocksmith_http_address(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

/* With a copy of the bytes. */
static inline struct MHD_Response *clocksmith_http_response(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

/* A body that is read piece by piece as long as the client stays. `read` gives the count of bytes; 0 if it
 * has suspended the connection, for there is nothing now; -1 at the end. `done` releases the context. */
static inline struct MHD_Response *clocksmith_http_stream(
    ssize_t (*read)(void *context, uint64_t position, char *bytes, size_t most), void *context,
    void (*done)(void *context)) {
  return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1024, read, context, done);
}

static inline int clocksmith_http_answer(struct MHD_Connection *connection, unsigned int status,
                                         struct MHD_Response *response) {
  return MHD_queue_response(connection, status, response) == MHD_YES;
}

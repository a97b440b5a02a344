#include <curl/curl.h>

/* Swift cannot call what is variadic: one function for each type of a value. */

static inline CURLcode clocksmith_curl_number(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode clocksmith_curl_pointer(CURL *easy, CURLoption option, const void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode clocksmith_curl_writer(CURL *easy, curl_write_callback writer, void *context) {
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
  return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, writer);
}

static inline CURLcode clocksmith_curl_debugger(CURL *easy, curl_debug_callback debugger,
                                                void *context) {
  curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
  curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
  return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, debugger);
}

static inline CURLcode clocksmith_curl_ask_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode clocksmith_curl_ask_number(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode clocksmith_curl_multi_number(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode clocksmith_curl_multi_listen(CURLM *multi, curl_socket_callback on_socket,
                                                     curl_multi_timer_callback on_timer,
                                                     void *context) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
  return curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

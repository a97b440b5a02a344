#include <zlib.h>

/* deflateInit2 is a macro. */

/* As gzip; returns the count of bytes made, 0 if they would be more than `most`. */
static inline size_t clocksmith_gzip(const unsigned char *bytes, size_t count, unsigned char *made, size_t most) {
  z_stream stream = {.next_in = (unsigned char *)bytes, .avail_in = (uInt)count};
  stream.next_out = made;
  stream.avail_out = (uInt)most;
  /* 16 more bits of the window mean gzip. */
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  int end = deflate(&stream, Z_FINISH);
  deflateEnd(&stream);
  return end == Z_STREAM_END ? stream.total_out : 0;
}

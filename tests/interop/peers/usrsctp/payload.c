/* The payload: made, checked, kept by stream, and hashed. */

#include "contract.h"

#include <endian.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FACTOR UINT64_C(0x9E3779B97F4A7C15)
/* FACTOR * INVERSE = 1 modulo 2^64. */
#define INVERSE UINT64_C(0xF1DE83E19937733D)
#define OFFSET_MASK ((UINT64_C(1) << 48) - 1)
/* No test sends more on a stream; a wrong offset must not claim all memory. */
#define MAX_STREAM_BYTES (UINT64_C(1) << 28)

/* What one stream has brought. */
struct stream {
	uint8_t *content;
	bool *seen; /* by word */
	uint64_t allocated, end, bytes;
};

static struct stream streams[MAX_STREAMS];
static uint64_t total, messages, duplicates, reordered;
static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

void payload_fill(uint8_t *message, size_t length, uint16_t stream, uint64_t offset)
{
	for (size_t at = 0; at < length; at += 8) {
		uint64_t word = htobe64((((uint64_t)stream << 48) + offset + at) * FACTOR);

		memcpy(message + at, &word, 8);
	}
}

static void make_room(struct stream *stream, uint64_t end)
{
	uint64_t more = stream->allocated == 0 ? 1 << 16 : stream->allocated;

	if (end <= stream->allocated)
		return;
	while (more < end)
		more *= 2;
	stream->content = realloc(stream->content, more);
	stream->seen = realloc(stream->seen, more / 8);
	if (stream->content == NULL || stream->seen == NULL)
		abort();
	memset(stream->content + stream->allocated, 0, more - stream->allocated);
	memset(stream->seen + stream->allocated / 8, 0, (more - stream->allocated) / 8);
	stream->allocated = more;
}

const char *ledger_take(uint16_t id, const uint8_t *message, size_t length)
{
	struct stream *stream = &streams[id % MAX_STREAMS];
	uint64_t word, place, offset;

	if (id >= MAX_STREAMS)
		return "a message came on a stream that no peer uses";
	if (length == 0 || length % 8 != 0)
		return "the length of a message is no multiple of 8";
	memcpy(&word, message, 8);
	place = be64toh(word) * INVERSE;
	offset = place & OFFSET_MASK;
	if (place >> 48 != id || offset % 8 != 0 || offset + length > MAX_STREAM_BYTES)
		return "a message does not belong to its stream";
	make_room(stream, offset + length);
	if (stream->seen[offset / 8]) {
		duplicates++;
		return NULL;
	}
	payload_fill(stream->content + offset, length, id, offset);
	if (memcmp(stream->content + offset, message, length) != 0)
		return "the content of a message is wrong";
	memset(stream->seen + offset / 8, true, length / 8);
	if (offset != stream->end)
		reordered++;
	if (offset + length > stream->end)
		stream->end = offset + length;
	stream->bytes += length;
	total += length;
	messages++;
	return NULL;
}

uint64_t ledger_bytes(void)
{
	return total;
}

void ledger_clear(void)
{
	for (int i = 0; i < MAX_STREAMS; i++) {
		free(streams[i].content);
		free(streams[i].seen);
	}
	memset(streams, 0, sizeof streams);
	total = messages = duplicates = reordered = 0;
}

void ledger_report(void)
{
	char list[MAX_STREAMS * 140] = "";
	size_t used = 0;

	for (int i = 0; i < MAX_STREAMS; i++) {
		uint8_t hash[SHA256_DIGEST_LENGTH];
		char hex[2 * SHA256_DIGEST_LENGTH + 1];

		if (streams[i].bytes == 0)
			continue;
		SHA256(streams[i].content, streams[i].end, hash);
		for (int at = 0; at < SHA256_DIGEST_LENGTH; at++)
			snprintf(hex + 2 * at, 3, "%02x", hash[at]);
		used += snprintf(list + used, sizeof list - used,
				 "%s{\"stream\": %d, \"bytes\": %llu, \"sha256\": \"%s\"}", used ? ", " : "", i,
				 (unsigned long long)streams[i].bytes, hex);
	}
	report("received",
	       "\"bytes\": %llu, \"messages\": %llu, \"duplicates\": %llu, \"reordered\": %llu, \"streams\": [%s]",
	       (unsigned long long)total, (unsigned long long)messages, (unsigned long long)duplicates,
	       (unsigned long long)reordered, list);
}

void report(const char *name, const char *fields, ...)
{
	va_list arguments;

	pthread_mutex_lock(&output);
	printf("{\"event\": \"%s\"%s", name, *fields ? ", " : "");
	va_start(arguments, fields);
	vprintf(fields, arguments);
	va_end(arguments);
	printf("}\n");
	fflush(stdout);
	pthread_mutex_unlock(&output);
}

const char *json_text(char *buffer, size_t size, const uint8_t *text, size_t length)
{
	size_t used = 0;

	buffer[used++] = '"';
	for (size_t at = 0; at < length && used + 8 < size; at++) {
		if (text[at] < ' ' || text[at] > '~' || text[at] == '"' || text[at] == '\\')
			used += snprintf(buffer + used, size - used, "\\u%04x", text[at]);
		else
			buffer[used++] = text[at];
	}
	buffer[used++] = '"';
	buffer[used] = '\0';
	return buffer;
}

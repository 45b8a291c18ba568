/* Every function, and every kind of wrong argument: calls STORY */

#include "check.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/stat.h>

_Static_assert(sizeof(struct manypath_sctp_sendv_spa) == 32, "src/ancillary.rs");
_Static_assert(offsetof(struct manypath_sctp_sendv_spa, sendv_sndinfo) == 4, "src/ancillary.rs");
_Static_assert(offsetof(struct manypath_sctp_sendv_spa, sendv_prinfo) == 20, "src/ancillary.rs");
_Static_assert(offsetof(struct manypath_sctp_sendv_spa, sendv_authinfo) == 28, "src/ancillary.rs");
_Static_assert(sizeof(struct sctp_authinfo) == 2, "src/ancillary.rs");

/* A pointer into the middle of a number. */
#define MISALIGNED(type) ((type *)(void *)((char *)numbers + 1))
static long numbers[8];

static void refused(const struct manypath_sctp_settings *settings, int number, const char *text)
{
	FAILS(number, manypath_sctp_start(settings));
	CHECK(strstr(manypath_sctp_error(), text));
}

static void settings(void)
{
	struct manypath_sctp_settings good = { .size = sizeof good, .local = local(1) }, bad = good;
	bad.size = 1, refused(&bad, EINVAL, "`size` is 1");
	bad = good, bad.local = "nowhere", refused(&bad, EINVAL, "`local` is \"nowhere\"");
	bad = good, bad.local = "192.0.2.77", refused(&bad, EINVAL, "`local` is 192.0.2.77: expected an address");
	bad = good, bad.local = "127.0.0.1%none", refused(&bad, EINVAL, "`local` is on interface \"none\"");
	bad = good, bad.congestion_control = "reno", refused(&bad, EINVAL, "`congestion_control` is \"reno\"");
	bad = good, bad.capture = "/nowhere/file", refused(&bad, ENOENT, "`capture` is /nowhere/file");
	/* Another file stays, and a new one does not, if the stack does not start */
	char file[256];
	snprintf(file, sizeof file, "%s/capture", getenv("TMPDIR"));
	bad.local = "192.0.2.77", bad.capture = file, refused(&bad, EINVAL, "192.0.2.77");
	CHECK(access(file, F_OK) != 0);
	FILE *other = fopen(file, "w");
	CHECK(other && fputs("a note", other) >= 0 && fclose(other) == 0);
	bad = good, bad.capture = file, refused(&bad, EEXIST, "manypath did not write it as a capture");
	struct stat kept;
	CHECK(stat(file, &kept) == 0 && kept.st_size == 6 && unlink(file) == 0);
	refused(MISALIGNED(struct manypath_sctp_settings), EFAULT, "not aligned");
	FAILS(EPROTONOSUPPORT, manypath_sctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP));
	FAILS(ENOTCONN, manypath_sctp_stop(0));
	FAILS(ENOTCONN, manypath_sctp_event_fd());
	FAILS(EFAULT, manypath_sctp_attach(NULL));
	FAILS(ENOENT, manypath_sctp_attach("/nowhere/socket"));
	CHECK(strstr(manypath_sctp_error(), "/nowhere/socket"));

	good.most_sockets = 2, good.capture = file;
	CHECK(manypath_sctp_start(&good) == 0);
	CHECK(!*manypath_sctp_error());
	refused(&good, EALREADY, "call manypath_sctp_stop first");
	FAILS(EALREADY, manypath_sctp_attach("/nowhere/socket"));
	int first = stream(), second = stream();
	FAILS(ENFILE, manypath_sctp_socket(AF_INET, SOCK_STREAM, 0));
	CHECK(manypath_sctp_close(first) == 0 && manypath_sctp_close(second) == 0);
	CHECK(manypath_sctp_stop(PATIENCE) == 0);
	FAILS(ENOTCONN, manypath_sctp_stop(0));
	/* Its capture stays */
	CHECK(unlink(file) == 0);
}

static void wrong_descriptors(void)
{
	struct sockaddr_in name = at(1, 0);
	socklen_t length = sizeof name;
	int pipes[2], value = 0;
	CHECK(pipe(pipes) == 0);
	FAILS(EBADF, manypath_sctp_listen(-1, 1));
	FAILS(EBADF, manypath_sctp_close(9999));
	FAILS(ENOTSOCK, manypath_sctp_bind(pipes[1], (address *)&name, length));
	FAILS(ENOTSOCK, manypath_sctp_bindx(pipes[1], (address *)&name, 1, MANYPATH_SCTP_BINDX_ADD_ADDR));
	FAILS(ENOTSOCK, manypath_sctp_listen(pipes[1], 1));
	FAILS(ENOTSOCK, manypath_sctp_accept(pipes[1], NULL, NULL, 0));
	FAILS(ENOTSOCK, manypath_sctp_connect(pipes[1], (address *)&name, length));
	FAILS(ENOTSOCK, manypath_sctp_connectx(pipes[1], (address *)&name, 1, NULL));
	FAILS(ENOTSOCK, manypath_sctp_getsockname(pipes[1], (address *)&name, &length));
	FAILS(ENOTSOCK, manypath_sctp_getpeername(pipes[1], (address *)&name, &length));
	FAILS(ENOTSOCK, manypath_sctp_getsockopt(pipes[1], SOL_SOCKET, SO_ERROR, &value, &length));
	FAILS(ENOTSOCK, manypath_sctp_setsockopt(pipes[1], SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value));
	FAILS(ENOTSOCK, manypath_sctp_getpaddrs(pipes[1], 0, NULL));
	FAILS(ENOTSOCK, manypath_sctp_send(pipes[1], "x", 1, 0));
	FAILS(ENOTSOCK, manypath_sctp_recv(pipes[0], &value, 1, 0));
	FAILS(ENOTSOCK, manypath_sctp_sendmsg(pipes[1], NULL, 0));
	FAILS(ENOTSOCK, manypath_sctp_recvmsg(pipes[0], NULL, 0));
	FAILS(ENOTSOCK, manypath_sctp_sendv(pipes[1], NULL, 0, NULL, 0, NULL, 0, 0, 0));
	FAILS(ENOTSOCK, manypath_sctp_recvv(pipes[0], NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL));
	FAILS(ENOTSOCK, manypath_sctp_peeloff(pipes[1], 0, 0));
	FAILS(ENOTSOCK, manypath_sctp_shutdown(pipes[1], SHUT_WR));
	FAILS(ENOTSOCK, manypath_sctp_close(pipes[1]));
	/* Nothing was written */
	CHECK(ready(pipes[0], POLLIN, 0) == 0);
}

static void wrong_pointers(void)
{
	start(local(1));
	struct pair made = pair();
	int fd = made.client, value = 0, flags = 0;
	unsigned type = 0;
	struct sockaddr_in name = made.name;
	struct sockaddr_in unknown = { .sin_family = 99 };
	socklen_t length = sizeof name;
	char bytes[4];
	struct iovec part = { bytes, sizeof bytes };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	FAILS(EFAULT, manypath_sctp_bind(fd, NULL, length));
	FAILS(EINVAL, manypath_sctp_bind(fd, (address *)&name, 3));
	FAILS(EINVAL, manypath_sctp_bind(fd, (address *)&name, 4096));
	FAILS(EFAULT, manypath_sctp_bindx(fd, NULL, 1, MANYPATH_SCTP_BINDX_ADD_ADDR));
	FAILS(EINVAL, manypath_sctp_bindx(fd, (address *)&name, 0, MANYPATH_SCTP_BINDX_ADD_ADDR));
	FAILS(EINVAL, manypath_sctp_bindx(fd, (address *)&name, 1, 3));
	FAILS(EINVAL, manypath_sctp_bindx(fd, (address *)&unknown, 1, MANYPATH_SCTP_BINDX_ADD_ADDR));
	FAILS(EFAULT, manypath_sctp_connect(fd, NULL, length));
	FAILS(EFAULT, manypath_sctp_connectx(fd, (address *)&name, 1, MISALIGNED(int32_t)));
	FAILS(EINVAL, manypath_sctp_connectx(fd, (address *)&name, -1, NULL));
	FAILS(EFAULT, manypath_sctp_accept(made.listener, (address *)&name, NULL, 0));
	FAILS(EINVAL, manypath_sctp_accept(made.listener, NULL, NULL, 1));
	FAILS(EFAULT, manypath_sctp_getsockname(fd, (address *)&name, NULL));
	FAILS(EFAULT, manypath_sctp_getsockname(fd, NULL, &length));
	FAILS(EFAULT, manypath_sctp_getpeername(fd, (address *)&name, MISALIGNED(socklen_t)));
	FAILS(EFAULT, manypath_sctp_getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, NULL));
	FAILS(EFAULT, manypath_sctp_getsockopt(fd, SOL_SOCKET, SO_ERROR, NULL, &length));
	FAILS(EFAULT, manypath_sctp_setsockopt(fd, IPPROTO_SCTP, SCTP_NODELAY, NULL, 4));
	FAILS(EINVAL, manypath_sctp_setsockopt(fd, IPPROTO_SCTP, SCTP_NODELAY, &value, 1));
	FAILS(EINVAL, manypath_sctp_setsockopt(fd, IPPROTO_SCTP, SCTP_NODELAY, &value, 1u << 30));
	FAILS(EFAULT, manypath_sctp_getpaddrs(fd, 0, NULL));
	FAILS(EFAULT, manypath_sctp_getladdrs(fd, 0, MISALIGNED(struct sockaddr *)));
	FAILS(EFAULT, manypath_sctp_send(fd, NULL, 4, 0));
	FAILS(EINVAL, manypath_sctp_send(fd, "", 0, 0));
	FAILS(EMSGSIZE, manypath_sctp_send(fd, bytes, 1u << 20, 0));
	FAILS(EFAULT, manypath_sctp_sendmsg(fd, NULL, 0));
	FAILS(EFAULT, manypath_sctp_sendmsg(fd, MISALIGNED(struct msghdr), 0));
	message.msg_iov = NULL;
	FAILS(EFAULT, manypath_sctp_sendmsg(fd, &message, 0));
	message.msg_iovlen = 1 << 20;
	FAILS(EMSGSIZE, manypath_sctp_sendmsg(fd, &message, 0));
	FAILS(EINVAL, manypath_sctp_sendv(fd, &part, -1, NULL, 0, NULL, 0, 0, 0));
	FAILS(EMSGSIZE, manypath_sctp_sendv(fd, &part, 2000, NULL, 0, NULL, 0, 0, 0));
	FAILS(EFAULT, manypath_sctp_sendv(fd, NULL, 1, NULL, 0, NULL, 0, 0, 0));
	FAILS(EFAULT, manypath_sctp_sendv(fd, &part, 1, NULL, 1, NULL, 0, 0, 0));
	FAILS(EINVAL, manypath_sctp_sendv(fd, &part, 1, (address *)&name, 2, NULL, 0, 0, 0));
	FAILS(EINVAL, manypath_sctp_sendv(fd, &part, 1, (address *)&unknown, 1, NULL, 0, 0, 0));
	FAILS(EFAULT, manypath_sctp_sendv(fd, &part, 1, NULL, 0, NULL, 16, MANYPATH_SCTP_SENDV_SNDINFO, 0));
	FAILS(EINVAL, manypath_sctp_sendv(fd, &part, 1, NULL, 0, &name, 4, MANYPATH_SCTP_SENDV_SNDINFO, 0));
	FAILS(EINVAL, manypath_sctp_sendv(fd, &part, 1, NULL, 0, &name, 16, 77, 0));
	FAILS(EINVAL, manypath_sctp_shutdown(fd, 17));

	says(made.server, "four");
	CHECK(ready(fd, POLLIN, PATIENCE) & POLLIN);
	FAILS(EFAULT, manypath_sctp_recv(fd, NULL, 4, 0));
	FAILS(EFAULT, manypath_sctp_recvmsg(fd, NULL, 0));
	FAILS(EFAULT, manypath_sctp_recvv(fd, &part, 1, NULL, NULL, NULL, NULL, NULL, NULL));
	FAILS(EFAULT, manypath_sctp_recvv(fd, &part, 1, NULL, NULL, NULL, NULL, NULL, MISALIGNED(int)));
	FAILS(EFAULT, manypath_sctp_recvv(fd, &part, 1, (address *)&name, NULL, NULL, NULL, NULL, &flags));
	FAILS(EFAULT, manypath_sctp_recvv(fd, &part, 1, NULL, NULL, bytes, NULL, &type, &flags));
	FAILS(EFAULT, manypath_sctp_recvv(fd, &part, 1, NULL, NULL, bytes, &length, NULL, &flags));
	length = sizeof bytes;
	FAILS(EINVAL, manypath_sctp_recvv(fd, &part, 1, NULL, NULL, bytes, &length, &type, &flags));
	/* The message is still there, whole */
	hears(fd, "four");

	FAILS(EAFNOSUPPORT, manypath_sctp_socket(AF_UNIX, SOCK_STREAM, 0));
	FAILS(EPROTONOSUPPORT, manypath_sctp_socket(AF_INET, SOCK_STREAM, IPPROTO_TCP));
	FAILS(ESOCKTNOSUPPORT, manypath_sctp_socket(AF_INET, SOCK_DGRAM, 0));
	manypath_sctp_freepaddrs(NULL);
	end(made);
	CHECK(manypath_sctp_stop(PATIENCE) == 0);
}

static void messages(void)
{
	start(local(1));
	struct pair made = pair();
	char bytes[64] = "";
	struct sctp_rcvinfo info;
	struct sockaddr_in from;
	socklen_t from_length = sizeof from, length = sizeof info;
	unsigned type;
	int flags = 0;
	struct iovec parts[2] = { { "in two ", 7 }, { "parts", 5 } }, room = { bytes, 5 };
	struct sctp_sndinfo to = { .snd_sid = 3, .snd_ppid = htonl(42), .snd_flags = SCTP_UNORDERED };
	CHECK(manypath_sctp_sendv(made.client, parts, 2, NULL, 0, &to, sizeof to, MANYPATH_SCTP_SENDV_SNDINFO, 0) == 12);

	CHECK(manypath_sctp_recvv(made.server, &room, 1, (address *)&from, &from_length, &info, &length, &type, &flags) == 5);
	CHECK(type == MANYPATH_SCTP_RECVV_RCVINFO && length == sizeof info && !(flags & MSG_EOR));
	CHECK(info.rcv_sid == 3 && info.rcv_ppid == htonl(42) && info.rcv_flags & SCTP_UNORDERED);
	CHECK(from_length == sizeof from && from.sin_addr.s_addr == made.name.sin_addr.s_addr);
	/* The rest keeps the descriptor readable, and has the end of the record */
	CHECK(ready(made.server, POLLIN, 0) & POLLIN);
	room.iov_len = sizeof bytes, flags = 0, length = sizeof info;
	CHECK(manypath_sctp_recvv(made.server, &room, 1, NULL, NULL, &info, &length, &type, &flags) == 7);
	CHECK(flags & MSG_EOR && memcmp(bytes, "o parts", 7) == 0);

	struct manypath_sctp_sendv_spa spa = {
		.sendv_flags = MANYPATH_SCTP_SEND_SNDINFO_VALID | MANYPATH_SCTP_SEND_PRINFO_VALID,
		.sendv_sndinfo = { .snd_sid = 5 },
		.sendv_prinfo = { .pr_policy = SCTP_PR_SCTP_TTL, .pr_value = 60000 },
	};
	CHECK(manypath_sctp_sendv(made.client, parts, 1, (address *)&made.name, 1, &spa, sizeof spa, MANYPATH_SCTP_SENDV_SPA,
				  0) == 7);
	union {
		char bytes[CMSG_SPACE(sizeof info)];
		struct cmsghdr head;
	} control;
	struct msghdr message = {
		.msg_iov = &room, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control
	};
	CHECK(manypath_sctp_recvmsg(made.server, &message, 0) == 7 && message.msg_flags & MSG_EOR);
	CHECK(control.head.cmsg_level == IPPROTO_SCTP && control.head.cmsg_type == SCTP_RCVINFO);
	memcpy(&info, CMSG_DATA(&control.head), sizeof info);
	CHECK(info.rcv_sid == 5);

	message.msg_control = NULL, message.msg_controllen = 0;
	memcpy(bytes, "by sendmsg", 10), room.iov_len = 10;
	CHECK(manypath_sctp_sendmsg(made.server, &message, MSG_NOSIGNAL) == 10);
	hears(made.client, "by sendmsg");
	/* The client did not ask for information */
	says(made.server, "plain");
	flags = 0, length = sizeof info;
	CHECK(manypath_sctp_recvv(made.client, &room, 1, NULL, NULL, &info, &length, &type, &flags) == 5);
	CHECK(type == MANYPATH_SCTP_RECVV_NOINFO && length == 0);
	/* There is no room for the information, which the socket wants */
	says(made.client, "plain");
	type = 99, flags = 0;
	CHECK(manypath_sctp_recvv(made.server, &room, 1, NULL, NULL, NULL, NULL, &type, &flags) == 5);
	CHECK(type == MANYPATH_SCTP_RECVV_NOINFO);

	CHECK(manypath_sctp_shutdown(made.client, SHUT_WR) == 0);
	CHECK(manypath_sctp_recv(made.server, bytes, sizeof bytes, 0) == 0);
	/* The stack learns with the first message that the program has not noticed the end */
	for (int attempt = 0; attempt < PATIENCE / 10 && manypath_sctp_send(made.server, "x", 1, MSG_NOSIGNAL) == 1; attempt++)
		usleep(10000);
	FAILS(EPIPE, manypath_sctp_send(made.server, "x", 1, MSG_NOSIGNAL));
	end(made);
	CHECK(manypath_sctp_stop(PATIENCE) == 0);
}

static void options_and_addresses(void)
{
	char both[80];
	snprintf(both, sizeof both, "%s,%s", local(1), local(2));
	start(both);
	struct sockaddr_in names[2] = { at(1, 7001), at(2, 7001) };
	struct sockaddr *found;
	int listener = stream(), client = stream();
	CHECK(manypath_sctp_bindx(listener, (address *)names, 2, MANYPATH_SCTP_BINDX_ADD_ADDR) == 0);
	CHECK(manypath_sctp_getladdrs(listener, 0, &found) == 2);
	CHECK(memcmp(&((struct sockaddr_in *)found)[1].sin_addr, &names[1].sin_addr, 4) == 0);
	manypath_sctp_freeladdrs(found);
	CHECK(manypath_sctp_bindx(listener, (address *)&names[1], 1, MANYPATH_SCTP_BINDX_REM_ADDR) == 0);
	CHECK(manypath_sctp_bindx(listener, (address *)&names[1], 1, MANYPATH_SCTP_BINDX_ADD_ADDR) == 0);
	CHECK(manypath_sctp_listen(listener, 1) == 0);

	int on = 1, value = 0, association = 0;
	socklen_t length = sizeof value;
	CHECK(manypath_sctp_setsockopt(client, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof on) == 0);
	CHECK(manypath_sctp_getsockopt(client, IPPROTO_SCTP, SCTP_NODELAY, &value, &length) == 0 && value == 1);
	CHECK(manypath_sctp_connectx(client, (address *)names, 2, &association) == 0 && association > 2);
	struct sctp_status status;
	length = sizeof status;
	CHECK(manypath_sctp_getsockopt(client, IPPROTO_SCTP, SCTP_STATUS, &status, &length) == 0);
	CHECK(status.sstat_state == SCTP_ESTABLISHED && status.sstat_assoc_id == association);
	CHECK(manypath_sctp_getpaddrs(client, association, &found) == 2);
	CHECK(((struct sockaddr_in *)found)[0].sin_port == htons(7001));
	manypath_sctp_freepaddrs(found);
	struct sockaddr_in peer;
	length = sizeof peer;
	CHECK(manypath_sctp_getpeername(client, (address *)&peer, &length) == 0 && peer.sin_port == htons(7001));
	CHECK(manypath_sctp_peeloff(client, association, 0) == -1);

	length = sizeof peer;
	int server = manypath_sctp_accept(listener, (address *)&peer, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
	CHECK(server >= 0 && length == sizeof peer && peer.sin_family == AF_INET);
	CHECK(fcntl(server, F_GETFL) & O_NONBLOCK && fcntl(server, F_GETFD) & FD_CLOEXEC);
	CHECK(manypath_sctp_close(client) == 0 && manypath_sctp_close(server) == 0);
	CHECK(close(listener) == 0);
	CHECK(manypath_sctp_stop(PATIENCE) == 0);
}

static void one_to_many(void)
{
	start(local(1));
	struct sockaddr_in name = at(1, 7001), from;
	int server = many(), client = many(), on = 1, flags = 0, association;
	CHECK(manypath_sctp_bind(server, (address *)&name, sizeof name) == 0);
	CHECK(manypath_sctp_setsockopt(server, IPPROTO_SCTP, SCTP_RECVRCVINFO, &on, sizeof on) == 0);
	CHECK(manypath_sctp_listen(server, 1) == 0);
	FAILS(EOPNOTSUPP, manypath_sctp_accept(server, NULL, NULL, 0));

	/* The first message opens the association */
	char bytes[64];
	struct sctp_rcvinfo info;
	struct iovec part = { "hello", 5 }, room = { bytes, sizeof bytes };
	socklen_t length = sizeof info, from_length = sizeof from;
	unsigned type;
	CHECK(manypath_sctp_sendv(client, &part, 1, (address *)&name, 1, NULL, 0, MANYPATH_SCTP_SENDV_NOINFO, 0) == 5);
	CHECK(ready(server, POLLIN, PATIENCE) & POLLIN);
	CHECK(manypath_sctp_recvv(server, &room, 1, (address *)&from, &from_length, &info, &length, &type, &flags) == 5);
	CHECK(type == MANYPATH_SCTP_RECVV_RCVINFO && flags & MSG_EOR && from_length == sizeof from);
	association = info.rcv_assoc_id;
	struct sockaddr *found;
	CHECK(manypath_sctp_getpaddrs(server, association, &found) == 1);
	CHECK(memcmp(found, &from, sizeof from) == 0);
	manypath_sctp_freepaddrs(found);

	/* An answer names the association or the address of the peer */
	struct sctp_sndinfo to = { .snd_assoc_id = association };
	CHECK(manypath_sctp_sendv(server, &part, 1, NULL, 0, &to, sizeof to, MANYPATH_SCTP_SENDV_SNDINFO, 0) == 5);
	hears(client, "hello");
	to.snd_assoc_id = association + 100;
	FAILS(EPIPE, manypath_sctp_sendv(server, &part, 1, NULL, 0, &to, sizeof to, MANYPATH_SCTP_SENDV_SNDINFO,
					 MSG_NOSIGNAL));

	to = (struct sctp_sndinfo){ .snd_assoc_id = association, .snd_flags = SCTP_ABORT };
	struct iovec none = { NULL, 5 };
	FAILS(EFAULT, manypath_sctp_sendv(server, &none, 1, NULL, 0, &to, sizeof to, MANYPATH_SCTP_SENDV_SNDINFO, 0));

	/* A peeled-off association is a socket of its own */
	FAILS(EINVAL, manypath_sctp_peeloff(server, association + 100, 0));
	int peeled = manypath_sctp_peeloff(server, association, SOCK_NONBLOCK | SOCK_CLOEXEC);
	CHECK(peeled >= 0 && fcntl(peeled, F_GETFL) & O_NONBLOCK && fcntl(peeled, F_GETFD) & FD_CLOEXEC);
	FAILS(EINVAL, manypath_sctp_peeloff(server, association, 0));
	says(peeled, "peeled");
	hears(client, "peeled");
	CHECK(manypath_sctp_close(peeled) == 0 && manypath_sctp_close(client) == 0 && manypath_sctp_close(server) == 0);
	CHECK(manypath_sctp_stop(PATIENCE) == 0);
}

int main(int count, char **words)
{
	static const struct {
		const char *name;
		void (*tell)(void);
	} stories[] = {
		{ "settings", settings },
		{ "wrong_descriptors", wrong_descriptors },
		{ "wrong_pointers", wrong_pointers },
		{ "messages", messages },
		{ "options_and_addresses", options_and_addresses },
		{ "one_to_many", one_to_many },
	};
	for (size_t story = 0; story < sizeof stories / sizeof *stories; story++)
		if (count == 2 && strcmp(words[1], stories[story].name) == 0)
			return stories[story].tell(), 0;
	return 2;
}

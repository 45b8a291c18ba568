/* SCTP sockets of manypath, in user space: RFC 6458 without SCTP in the kernel. Linux only.
 *
 * The functions have the arguments, results and errnos of those of libc and of RFC 6458 (lksctp-tools) that their names
 * end with: -1 and errno for an error. Options, ancillary data and notifications are those of <linux/sctp.h>.
 *
 * A program starts the stack in a thread of its own (manypath_sctp_start), or uses that of another process: of
 * `manypath-net serve` (manypath_sctp_attach).
 *
 * Descriptors. A socket is a descriptor of the kernel, so poll, select, epoll, libuv and others wait for it: readable
 * means that a message, an association to accept or the end is there, writable that there is room for a message or
 * that connecting has ended. A message that was read in part keeps the descriptor readable. fcntl (O_NONBLOCK,
 * FD_CLOEXEC), dup, fork, exec and close work; SO_RCVTIMEO and SO_SNDTIMEO limit waiting. read, write, send and recv do
 * not work: bytes on the descriptor are not those of messages.
 *
 * Threads. All functions may be called by several threads at once. Of two threads or processes that receive from one
 * association at the same time, one may get a part of the other's message.
 *
 * Pointers. NULL and misaligned pointers fail with EFAULT, wrong lengths with EINVAL. Other wrong pointers are mistakes
 * of the program, as for libc.
 */

#ifndef MANYPATH_SCTP_H
#define MANYPATH_SCTP_H

#include <stddef.h>
#include <stdint.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <linux/sctp.h>

/* Information on a message to send: MANYPATH_SCTP_SENDV_SPA. RFC 6458 section 9.12 */
struct manypath_sctp_sendv_spa {
  uint32_t sendv_flags; /* MANYPATH_SCTP_SEND_SNDINFO_VALID and others */
  struct sctp_sndinfo sendv_sndinfo;
  struct sctp_prinfo sendv_prinfo;
  struct sctp_authinfo sendv_authinfo;
};

/*
 Flag of `manypath_sctp_bindx`: add the addresses.
 */
#define MANYPATH_SCTP_BINDX_ADD_ADDR 1

/*
 Flag of `manypath_sctp_bindx`: remove the addresses.
 */
#define MANYPATH_SCTP_BINDX_REM_ADDR 2

/*
 Information of `manypath_sctp_sendv`: none.
 */
#define MANYPATH_SCTP_SENDV_NOINFO 0

/*
 Information of `manypath_sctp_sendv`: a `struct sctp_sndinfo`.
 */
#define MANYPATH_SCTP_SENDV_SNDINFO 1

/*
 Information of `manypath_sctp_sendv`: a `struct sctp_prinfo`.
 */
#define MANYPATH_SCTP_SENDV_PRINFO 2

/*
 Information of `manypath_sctp_sendv`: a `struct sctp_authinfo`, which the stack refuses with `EINVAL`.
 */
#define MANYPATH_SCTP_SENDV_AUTHINFO 3

/*
 Information of `manypath_sctp_sendv`: a `struct manypath_sctp_sendv_spa`.
 */
#define MANYPATH_SCTP_SENDV_SPA 4

/*
 Flag of `struct manypath_sctp_sendv_spa`: `sendv_sndinfo` is valid.
 */
#define MANYPATH_SCTP_SEND_SNDINFO_VALID 1

/*
 Flag of `struct manypath_sctp_sendv_spa`: `sendv_prinfo` is valid.
 */
#define MANYPATH_SCTP_SEND_PRINFO_VALID 2

/*
 Flag of `struct manypath_sctp_sendv_spa`: `sendv_authinfo` is valid.
 */
#define MANYPATH_SCTP_SEND_AUTHINFO_VALID 4

/*
 Information of `manypath_sctp_recvv`: none.
 */
#define MANYPATH_SCTP_RECVV_NOINFO 0

/*
 Information of `manypath_sctp_recvv`: a `struct sctp_rcvinfo`.
 */
#define MANYPATH_SCTP_RECVV_RCVINFO 1

/*
 The settings of `manypath_sctp_start`. Zero and NULL stand for the default. Set `size`, and leave the other fields
 that you do not use at zero: `struct manypath_sctp_settings settings = {.size = sizeof settings};`
 */
struct manypath_sctp_settings {
  /*
   `sizeof (struct manypath_sctp_settings)`
   */
  size_t size;
  /*
   Local addresses of the sockets, separated by commas. By default all addresses of the machine. Packets of
   `ADDRESS%INTERFACE`, such as `192.0.2.7%eth0`, leave only on that interface.
   */
  const char *local;
  /*
   UDP port of listening sockets, and of peers. The default is 9899.
   */
  uint16_t udp_port;
  /*
   Not 0: packets are sent directly in IP instead of UDP, which needs root or `CAP_NET_RAW`. `udp_port` must be 0.
   */
  int raw;
  /*
   Not 0: the packets of each path are paced over its round-trip time.
   */
  int pacing;
  /*
   Congestion control, by its name in `manypath list`. The default is `cmt-rpv2`.
   */
  const char *congestion_control;
  /*
   Path of a pcapng file that gets all packets. An earlier capture of manypath is overwritten; another file that is
   there is refused with `EEXIST`.
   */
  const char *capture;
  /*
   Largest number of sockets. The default is 4096. Each one needs up to four of the descriptors that `RLIMIT_NOFILE`
   allows the stack; the program has its own table of them.
   */
  uint32_t most_sockets;
};

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 `sctp_bindx`: binds `count` addresses, which are one after the other, each with its own length. `flags` is
 `MANYPATH_SCTP_BINDX_ADD_ADDR` or `MANYPATH_SCTP_BINDX_REM_ADDR`. RFC 6458 §9.1

 # Safety
 `addresses` has `count` addresses.
 */
int manypath_sctp_bindx(int fd, const struct sockaddr *addresses, int count, int flags);

/*
 `sctp_connectx`: connects to a peer with several addresses. Stores the number of the association in `association`,
 unless it is NULL or the socket is non-blocking. RFC 6458 §9.9

 # Safety
 `addresses` has `count` addresses.
 */
int manypath_sctp_connectx(int fd, const struct sockaddr *addresses, int count, int32_t *association);

/*
 `sctp_getpaddrs`: stores the addresses of the peer, one after the other, in memory that
 `manypath_sctp_freepaddrs` frees. Returns their number. `association` is 0 for one-to-one sockets. RFC 6458 §9.3

 # Safety
 `addresses` can be written.
 */
int manypath_sctp_getpaddrs(int fd, int32_t association, struct sockaddr **addresses);

/*
 `sctp_getladdrs`: the same for the local addresses. `manypath_sctp_freeladdrs` frees them. RFC 6458 §9.5

 # Safety
 `addresses` can be written.
 */
int manypath_sctp_getladdrs(int fd, int32_t association, struct sockaddr **addresses);

/*
 Frees what `manypath_sctp_getpaddrs` stored. NULL is allowed.

 # Safety
 The pointer is one of that function, and was not freed.
 */
void manypath_sctp_freepaddrs(struct sockaddr *addresses);

/*
 Frees what `manypath_sctp_getladdrs` stored. NULL is allowed.

 # Safety
 The pointer is one of that function, and was not freed.
 */
void manypath_sctp_freeladdrs(struct sockaddr *addresses);

/*
 A new socket. `domain` is `AF_INET` or `AF_INET6`, `type` is `SOCK_STREAM` (one-to-one) or `SOCK_SEQPACKET`
 (one-to-many), perhaps with `SOCK_NONBLOCK` and `SOCK_CLOEXEC`, `protocol` is `IPPROTO_SCTP` or 0.

 Fails with `EPROTONOSUPPORT` if no stack was started or attached, and with `ESOCKTNOSUPPORT` for other types.
 */
int manypath_sctp_socket(int domain, int type, int protocol);

/*
 `bind(2)`

 # Safety
 As for `bind`.
 */
int manypath_sctp_bind(int fd, const struct sockaddr *address, socklen_t length);

/*
 `listen(2)`. A one-to-one socket is readable when an association can be accepted. A one-to-many socket accepts
 associations by itself; a `backlog` of 0 ends that.
 */
int manypath_sctp_listen(int fd, int backlog);

/*
 `accept4(2)` of a one-to-one socket; `flags` are 0, or `SOCK_NONBLOCK` and `SOCK_CLOEXEC`. `address` and `length` may be NULL.

 # Safety
 As for `accept4`.
 */
int manypath_sctp_accept(int fd,
                         struct sockaddr *address,
                         socklen_t *length,
                         int flags);

/*
 `connect(2)`. A non-blocking socket is writable when the attempt has ended; `SO_ERROR` is its result.

 # Safety
 As for `connect`.
 */
int manypath_sctp_connect(int fd, const struct sockaddr *address, socklen_t length);

/*
 `getsockname(2)`

 # Safety
 As for `getsockname`.
 */
int manypath_sctp_getsockname(int fd, struct sockaddr *address, socklen_t *length);

/*
 `getpeername(2)`: the primary address of the peer.

 # Safety
 As for `getpeername`.
 */
int manypath_sctp_getpeername(int fd, struct sockaddr *address, socklen_t *length);

/*
 `getsockopt(2)`, with the options and structures of `<linux/sctp.h>`. An option that the stack lacks fails with
 `EOPNOTSUPP`, and one line on standard error names it.

 # Safety
 As for `getsockopt`.
 */
int manypath_sctp_getsockopt(int fd, int level, int option, void *value, socklen_t *length);

/*
 `setsockopt(2)`, with the options and structures of `<linux/sctp.h>`.

 # Safety
 As for `setsockopt`.
 */
int manypath_sctp_setsockopt(int fd, int level, int option, const void *value, socklen_t length);

/*
 `sctp_peeloff_flags`: makes an association of a one-to-many socket a one-to-one socket and returns its descriptor.
 `flags` are 0, or `SOCK_NONBLOCK` and `SOCK_CLOEXEC`. Fails with `EINVAL` if there is no such association, or if the
 socket is one-to-one. RFC 6458 §9.2
 */
int manypath_sctp_peeloff(int fd, int32_t association, int flags);

/*
 `shutdown(2)`. SCTP has no half-closed associations: `SHUT_WR` and `SHUT_RDWR` shut the association down after all
 messages that were sent.
 */
int manypath_sctp_shutdown(int fd, int how);

/*
 `close(2)`. The last close of a descriptor and its duplicates shuts the association down, or aborts it if messages
 are unread. `close` itself does the same.
 */
int manypath_sctp_close(int fd);

/*
 The reason for which the thread's last call of `manypath_sctp_start`, `manypath_sctp_attach`, `manypath_sctp_stop`
 or `manypath_sctp_event_fd` failed: one line that names the setting, or the empty string. It is valid until the
 thread calls one of these functions again.
 */
const char *manypath_sctp_error(void);

/*
 Starts the stack in a thread of this process. NULL stands for the default settings. Sockets that are created from
 then on belong to it.

 The thread has descriptors of its own, which `fork` does not copy, and blocks all signals. A child of `fork` uses
 the stack of its parent until it starts one itself; a program that becomes a daemon starts the stack after that.
 When the process ends by `exit` or by the return from `main`, associations that still exist are aborted.

 Returns 0. Fails with `EALREADY` if the process has a stack, with `EINVAL` for a setting that is not valid, with
 `EACCES` if it needs more rights, with `EBUSY` if another thread starts or stops the stack, or with an error of the
 system. `manypath_sctp_error` says what is wrong.

 # Safety
 The settings and their texts are valid, or the pointer is null.
 */
int manypath_sctp_start(const struct manypath_sctp_settings *settings);

/*
 Attaches the process to `manypath-net serve`, whose Unix socket is at `path`. Sockets that are created from then on
 belong to it. A process that neither starts a stack nor attaches itself uses the daemon that the environment variable
 `MANYPATH_SCTP_SOCKET` names.

 Returns 0. Fails with `EALREADY` if the process has a stack or is attached, with `EBUSY` if another thread starts or
 stops the stack, or with the error of `connect`.

 # Safety
 The text ends with a zero, or the pointer is null.
 */
int manypath_sctp_attach(const char *path);

/*
 Stops the stack, or detaches the process. New sockets are refused at once. Waits at most `limit` milliseconds until
 all sockets are closed and their associations are shut down, then aborts the remaining associations. On sockets of a
 stack of this process that are still open, receiving returns 0 or fails with `ECONNRESET`; the program must close
 them. The stack can be started again.

 Returns 0. Fails with `ENOTCONN` if there is no stack, also in a child of `fork` that uses the stack of its parent,
 with `EIO` if the stack had ended by an error before, with `EBUSY` if another thread starts or stops the stack, or
 with `ETIMEDOUT` if its thread does not end.
 */
int manypath_sctp_stop(unsigned int limit);

/*
 A new descriptor that becomes readable, and remains so, when the stack of this process has ended: by
 `manypath_sctp_stop`, or by an error that `manypath_sctp_stop` returns. The caller closes it.

 Fails with `ENOTCONN` if there is no stack, with `EOPNOTSUPP` if it is that of another process, and with `EBUSY` if
 another thread starts or stops the stack.
 */
int manypath_sctp_event_fd(void);

/*
 `send(2)`: sends a message on the stream of `SCTP_DEFAULT_SNDINFO`. A peer that is gone raises `SIGPIPE` unless
 `flags` has `MSG_NOSIGNAL`. A message has at most 200,000 bytes.

 # Safety
 As for `send`.
 */
ssize_t manypath_sctp_send(int fd, const void *bytes, size_t length, int flags);

/*
 `recv(2)`: receives a message or the next part of one. Returns 0 at the end of the association.

 # Safety
 As for `recv`.
 */
ssize_t manypath_sctp_recv(int fd, void *bytes, size_t length, int flags);

/*
 `sendmsg(2)`, with the ancillary data of RFC 6458 §5.3.

 # Safety
 As for `sendmsg`.
 */
ssize_t manypath_sctp_sendmsg(int fd, const struct msghdr *message, int flags);

/*
 `recvmsg(2)`, with the ancillary data of RFC 6458 §5.3. `msg_flags` has `MSG_EOR` at the end of a message, and
 `MSG_NOTIFICATION` (0x8000) for a notification.

 # Safety
 As for `recvmsg`.
 */
ssize_t manypath_sctp_recvmsg(int fd, struct msghdr *message, int flags);

/*
 `sctp_sendv`: sends a message of `parts_count` parts. `addresses` is NULL with a count of 0, or one address of the
 peer: on a one-to-many socket a message to a new peer opens the association. `info` has `info_length` bytes;
 `info_type` is a constant `MANYPATH_SCTP_SENDV_...`. RFC 6458 §9.12

 # Safety
 The pointers have as many elements or bytes as the numbers say.
 */
ssize_t manypath_sctp_sendv(int fd,
                            const struct iovec *parts,
                            int parts_count,
                            const struct sockaddr *addresses,
                            int addresses_count,
                            const void *info,
                            socklen_t info_length,
                            unsigned int info_type,
                            int flags);

/*
 `sctp_recvv`: receives a message or the next part of one. `from` and `info` may be NULL. On return `info_type` says
 what `info` has: `MANYPATH_SCTP_RECVV_RCVINFO`, which needs the option `SCTP_RECVRCVINFO`, or
 `MANYPATH_SCTP_RECVV_NOINFO`. The stack has no information on the next message (`struct sctp_nxtinfo`) and refuses
 `SCTP_RECVNXTINFO`. `flags` has `MSG_EOR` at the end of a message and `MSG_NOTIFICATION` (0x8000) for a notification.
 RFC 6458 §9.13

 # Safety
 The pointers have as many elements or bytes as the numbers say.
 */
ssize_t manypath_sctp_recvv(int fd,
                            const struct iovec *parts,
                            int parts_count,
                            struct sockaddr *from,
                            socklen_t *from_length,
                            void *info,
                            socklen_t *info_length,
                            unsigned int *info_type,
                            int *flags);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MANYPATH_SCTP_H */

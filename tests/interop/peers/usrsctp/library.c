/* The library with the settings of the arguments. */

#include "library.h"

#include <string.h>
#include <netinet/in.h>
#include <usrsctp.h>

void library_set_up(const struct options *options)
{
	usrsctp_init(options->udp, NULL, NULL);
	/* Else packets between addresses of one machine have no checksum. */
	usrsctp_sysctl_set_sctp_no_csum_on_loopback(0);
	usrsctp_sysctl_set_sctp_nrsack_enable(options->nr_sack);
	usrsctp_sysctl_set_sctp_pktdrop_enable(options->pktdrop);
	usrsctp_sysctl_set_sctp_cmt_on_off(options->cmt);
	usrsctp_sysctl_set_sctp_cmt_use_dac(options->dac);
	usrsctp_sysctl_set_sctp_rto_min_default(options->rto_min);
	usrsctp_sysctl_set_sctp_rto_initial_default(options->rto_min);
	usrsctp_sysctl_set_sctp_rto_max_default(options->rto_max);
	usrsctp_sysctl_set_sctp_delayed_sack_time_default(options->sack_delay);
	usrsctp_sysctl_set_sctp_path_rtx_max_default(options->path_retransmissions);
	if (options->association_retransmissions >= 0) {
		usrsctp_sysctl_set_sctp_assoc_rtx_max_default(options->association_retransmissions);
		usrsctp_sysctl_set_sctp_init_rtx_max_default(options->association_retransmissions);
	}
	usrsctp_sysctl_set_sctp_heartbeat_interval_default(options->heartbeat);
	usrsctp_sysctl_set_sctp_sendspace(options->buffer);
	usrsctp_sysctl_set_sctp_recvspace(options->buffer);
}

struct sockaddr *library_packed(const struct sockaddr_storage *addresses, int count)
{
	static uint8_t buffer[MAX_ADDRESSES * sizeof(struct sockaddr_in6)];
	uint8_t *at = buffer;

	for (int i = 0; i < count; i++) {
		size_t size = addresses[i].ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);

		memcpy(at, &addresses[i], size);
		at += size;
	}
	return (struct sockaddr *)buffer;
}

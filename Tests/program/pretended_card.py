"""A fake sound card: the kernel's list has one, and another ALSA device plays in its place."""

from c_library import shared_library

# Preloaded before libasound. The card plays on the ALSA device "card". Like ALSA's converting
# plugins, it takes nothing back: a rewind returns 0 frames.
LIBRARY = r"""
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <dlfcn.h>

int snd_card_next(int *card) { *card = *card < 0 ? 0 : -1; return 0; }
int snd_ctl_open(snd_ctl_t **control, const char *name, int mode) {
  *control = (snd_ctl_t *)1;
  return 0;
}
int snd_ctl_close(snd_ctl_t *control) { return 0; }
int snd_ctl_card_info(snd_ctl_t *control, snd_ctl_card_info_t *info) { return 0; }
const char *snd_ctl_card_info_get_id(const snd_ctl_card_info_t *info) { return "Pretended"; }
const char *snd_ctl_card_info_get_name(const snd_ctl_card_info_t *info) { return "Pretended"; }
int snd_ctl_pcm_next_device(snd_ctl_t *control, int *device) {
  *device = *device < 0 ? 0 : -1;
  return 0;
}
int snd_mixer_open(snd_mixer_t **mixer, int mode) { return -ENODEV; }
int snd_pcm_open(snd_pcm_t **pcm, const char *name, snd_pcm_stream_t stream, int mode) {
  int (*open)(snd_pcm_t **, const char *, snd_pcm_stream_t, int) = dlsym(RTLD_NEXT, "snd_pcm_open");
  return open(pcm, strstr(name, "CARD=Pretended") ? "card" : name, stream, mode);
}
int snd_pcm_info_get_card(const snd_pcm_info_t *info) { return 0; }
snd_pcm_sframes_t snd_pcm_rewind(snd_pcm_t *pcm, snd_pcm_uframes_t frames) { return 0; }
"""


def pretended_card(folder):
    """The environment in which the card exists."""
    return {"LD_PRELOAD": str(shared_library(folder / "pretended.so", LIBRARY))}

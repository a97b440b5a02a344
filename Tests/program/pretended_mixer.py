"""A fake mixer of a fake card: one control, whose level outlasts the program, as a card's does."""

from c_library import shared_library
from pretended_card import LIBRARY

# From 0 to 100, a step a dB, 100 is 0 dB; and 1 if it is switched on. Both are in one file.
MIXER = r"""
#include <stdio.h>
#include <stdlib.h>
#define LEVEL getenv("PRETENDED_LEVEL")

static void get(long *volume, int *is_on) {
  FILE *file = fopen(LEVEL, "r");
  if (!file || fscanf(file, "%ld %d", volume, is_on) != 2) abort();
  fclose(file);
}
static void set(long volume, int is_on) {
  FILE *file = fopen(LEVEL, "w");
  fprintf(file, "%ld %d\n", volume, is_on);
  fclose(file);
}

int snd_mixer_open(snd_mixer_t **mixer, int mode) { *mixer = (snd_mixer_t *)1; return 0; }
int snd_mixer_close(snd_mixer_t *mixer) { return 0; }
int snd_mixer_attach(snd_mixer_t *mixer, const char *name) {
  return strcmp(name, "hw:CARD=Pretended") ? -ENODEV : 0;
}
int snd_mixer_selem_register(snd_mixer_t *mixer, struct snd_mixer_selem_regopt *options,
                             snd_mixer_class_t **class) { return 0; }
int snd_mixer_load(snd_mixer_t *mixer) { return 0; }
int snd_mixer_handle_events(snd_mixer_t *mixer) { return 0; }
snd_mixer_elem_t *snd_mixer_first_elem(snd_mixer_t *mixer) { return (snd_mixer_elem_t *)1; }
snd_mixer_elem_t *snd_mixer_elem_next(snd_mixer_elem_t *element) { return NULL; }
const char *snd_mixer_selem_get_name(snd_mixer_elem_t *element) { return "Digital Out"; }
int snd_mixer_selem_has_playback_volume(snd_mixer_elem_t *element) { return 1; }
int snd_mixer_selem_has_playback_switch(snd_mixer_elem_t *element) { return 1; }
int snd_mixer_selem_has_playback_channel(snd_mixer_elem_t *element, snd_mixer_selem_channel_id_t channel) {
  return channel == SND_MIXER_SCHN_FRONT_LEFT;
}
int snd_mixer_selem_get_playback_volume(snd_mixer_elem_t *element, snd_mixer_selem_channel_id_t channel,
                                        long *volume) { int is_on; get(volume, &is_on); return 0; }
int snd_mixer_selem_get_playback_switch(snd_mixer_elem_t *element, snd_mixer_selem_channel_id_t channel,
                                        int *is_on) { long volume; get(&volume, is_on); return 0; }
int snd_mixer_selem_set_playback_volume(snd_mixer_elem_t *element, snd_mixer_selem_channel_id_t channel,
                                        long volume) {
  long old; int is_on; get(&old, &is_on); set(volume, is_on); return 0;
}
int snd_mixer_selem_set_playback_switch(snd_mixer_elem_t *element, snd_mixer_selem_channel_id_t channel,
                                        int is_on) {
  long volume; int old; get(&volume, &old); set(volume, is_on); return 0;
}
int snd_mixer_selem_set_playback_switch_all(snd_mixer_elem_t *element, int is_on) {
  return snd_mixer_selem_set_playback_switch(element, 0, is_on);
}
int snd_mixer_selem_set_playback_dB_all(snd_mixer_elem_t *element, long hundredths, int direction) {
  return snd_mixer_selem_set_playback_volume(element, 0, 100 + hundredths / 100);
}
int snd_mixer_selem_get_playback_dB_range(snd_mixer_elem_t *element, long *least, long *most) {
  *least = -10000; *most = 0; return 0;
}
"""


class PretendedMixer:
    """The control "Digital Out" of the card "Pretended", which has a level of its owner's."""

    def __init__(self, folder):
        self.file = folder / "level"
        card = LIBRARY.replace("int snd_mixer_open(snd_mixer_t **mixer, int mode) { return -ENODEV; }\n", "")
        library = shared_library(folder / "mixer.so", card + MIXER)
        self.environment = {"LD_PRELOAD": str(library), "PRETENDED_LEVEL": str(self.file)}

    def set(self, volume, is_on=True):
        self.file.write_text(f"{volume} {int(is_on)}\n")

    def level(self):
        """Its volume, and whether it is switched on; None while it is being written."""
        words = self.file.read_text().split()
        return (int(words[0]), words[1] == "1") if len(words) == 2 else None

/* Loads a .snm file and answers once, in C. run_packed_c MODEL.snm */
#include "spikenm/runtime/c_api.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: run_packed_c MODEL.snm\n");
    return 2;
  }
  spikenm_model* model = spikenm_load(argv[1]);
  spikenm_session* session = model ? spikenm_session_new(model, 1) : NULL;
  if (session == NULL) {
    fprintf(stderr, "%s\n", spikenm_last_error());
    spikenm_free(model);
    return 1;
  }
  int64_t shape[3], classes = spikenm_classes(model), best = 0;
  spikenm_frame_shape(model, shape);
  size_t size = (size_t)(spikenm_frames(model) * shape[0] * shape[1] * shape[2]);
  float* values = malloc(size * sizeof *values);
  float* scores = malloc((size_t)classes * sizeof *scores);
  for (size_t i = 0; i < size; ++i) values[i] = 1; /* a real sample comes from a file or a camera */
  int failed = spikenm_run(session, values, 1, scores);
  for (int64_t k = 1; k < classes; ++k)
    if (scores[k] > scores[best]) best = k;
  if (failed)
    fprintf(stderr, "%s\n", spikenm_last_error());
  else
    printf("%s (%g)\n", spikenm_class_name(model, best), scores[best]);
  free(values);
  free(scores);
  spikenm_session_free(session);
  spikenm_free(model);
  return failed ? 1 : 0;
}

/* Loads a .snm file and answers once, in C. run_packed_c MODEL.snm */
#include "spikenm/runtime/c_api.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(const char* message) {
  fprintf(stderr, "%s\n", message);
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 2) return fail("usage: run_packed_c MODEL.snm");
  spikenm_model* model = spikenm_load(argv[1]);
  spikenm_session* session = model ? spikenm_session_new(model, 1) : NULL;
  if (session == NULL) return fail(spikenm_last_error());
  int64_t shape[3], classes = spikenm_classes(model), best = 0;
  spikenm_frame_shape(model, shape);
  size_t size = (size_t)(spikenm_frames(model) * shape[0] * shape[1] * shape[2]);
  float* values = malloc((size + (size_t)classes) * sizeof *values);
  if (values == NULL) return fail("out of memory");
  float* scores = values + size; /* one score for each class */
  for (size_t i = 0; i < size; ++i) values[i] = 1; /* a real sample comes from a file or a camera */
  if (spikenm_run(session, values, 1, scores) != 0) return fail(spikenm_last_error());
  for (int64_t k = 1; k < classes; ++k)
    if (scores[k] > scores[best]) best = k;
  printf("%s (%g)\n", spikenm_class_name(model, best), scores[best]);
  free(values);
  spikenm_session_free(session);
  spikenm_free(model);
}

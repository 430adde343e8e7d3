/* Runs .snm networks from C, and from languages that call C.
 *
 *   spikenm_model* model = spikenm_load("m.snm");
 *   spikenm_session* session = spikenm_session_new(model, 1);
 *   if (session && spikenm_run(session, values, 1, scores) == 0) ...
 *   else complain(spikenm_last_error());
 *
 * A model is read by any number of sessions on any threads; a session is used by one thread at a
 * time. Functions that fail return null or -1, and spikenm_last_error() says why in one sentence.
 */
#ifndef SPIKENM_RUNTIME_C_API_H
#define SPIKENM_RUNTIME_C_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C has no name spaces: its names carry ours, in C's own style. NOLINTBEGIN(readability-identifier-naming) */
typedef struct spikenm_model spikenm_model;
typedef struct spikenm_session spikenm_session;
/* NOLINTEND(readability-identifier-naming) */

/* Of the last call of this thread that failed; good until the next one fails. */
const char* spikenm_last_error(void);

spikenm_model* spikenm_load(const char* path);
/* Sessions keep what they need of a model: it may be freed before them. Null is allowed. */
void spikenm_free(spikenm_model* model);

/* Time steps, classes, and the frames of a sample: one for each step, or one for an image. */
int64_t spikenm_steps(const spikenm_model* model);
int64_t spikenm_classes(const spikenm_model* model);
int64_t spikenm_frames(const spikenm_model* model);
/* channels, height, width. */
void spikenm_frame_shape(const spikenm_model* model, int64_t shape[3]);
/* Null where there is no such class. Good as long as the model. */
const char* spikenm_class_name(const spikenm_model* model, int64_t label);

/* For at most `batch` samples at once. */
spikenm_session* spikenm_session_new(const spikenm_model* model, int64_t batch);
void spikenm_session_free(spikenm_session* session);

/* values: [samples, frames, channels, height, width]; scores: [samples, classes], the means over
 * all steps. Returns 0. */
int spikenm_run(spikenm_session* session, const float* values, int64_t samples, float* scores);

/* A stream, frame by frame: [channels, height, width] gives the scores of one step. */
int spikenm_step(spikenm_session* session, const float* frame, float* scores);
void spikenm_reset(spikenm_session* session);

/* How many threads all sessions of the process may use; 0: all cores. Before the first session. */
void spikenm_set_threads(int threads);

#ifdef __cplusplus
}
#endif

#endif

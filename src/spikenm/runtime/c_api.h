/* Runs .snm networks from C, and from languages that call C.
 *
 *   spikenm_model* model = spikenm_load("m.snm");
 *   spikenm_session* session = spikenm_session_new(model, 1);
 *   if (session && spikenm_run(session, values, 1, scores) == 0) ...
 *   else complain(spikenm_last_error());
 *
 * A model is read by any number of sessions on any threads; a session is used by one thread at a
 * time. Functions that fail return null or -1, and spikenm_last_error() says why in one sentence; a
 * null pointer is a failure like any other.
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

/* Time steps, classes, and the frames of a sample: one for each step, or one for an image. All are
 * positive. */
int64_t spikenm_steps(const spikenm_model* model);
int64_t spikenm_classes(const spikenm_model* model);
int64_t spikenm_frames(const spikenm_model* model);
/* channels, height, width. Returns 0. */
int spikenm_frame_shape(const spikenm_model* model, int64_t shape[3]);
/* Good as long as the model. Null, a failure, where there is no such class. */
const char* spikenm_class_name(const spikenm_model* model, int64_t label);
/* Where the model comes from, as JSON: seed, commit, accuracy, ... Good as long as the model. */
const char* spikenm_provenance(const spikenm_model* model);

/* Layers of neurons are numbered from 0, in forward order. The name of one, good as long as the model;
 * null, a failure, behind the last. */
const char* spikenm_neurons_name(const spikenm_model* model, int64_t neurons);
/* The share of a layer's neurons that fired at a step when the model was made; NaN, no failure, where
 * that was not recorded. */
double spikenm_recorded_rate(const spikenm_model* model, int64_t neurons);

/* For at most `batch` samples at once. */
spikenm_session* spikenm_session_new(const spikenm_model* model, int64_t batch);
void spikenm_session_free(spikenm_session* session);

/* values: [samples, frames, channels, height, width]; scores: [samples, classes], the means over
 * all steps. Returns 0. */
int spikenm_run(spikenm_session* session, const float* values, int64_t samples, float* scores);

/* A stream, frame by frame: [channels, height, width] gives the scores of one step. */
int spikenm_step(spikenm_session* session, const float* frame, float* scores);
/* The stream begins anew. */
int spikenm_reset(spikenm_session* session);

/* All that a stream remembers, as that many floats: copied out, and put back into a session of the
 * same model. */
int64_t spikenm_state_size(const spikenm_session* session);
int spikenm_get_state(const spikenm_session* session, float* state);
int spikenm_set_state(spikenm_session* session, const float* state);

/* The share of a layer's neurons that fired in the last run or step. */
double spikenm_firing_rate(const spikenm_session* session, int64_t neurons);

/* How many threads all sessions of the process may use; 0: all cores. Before the first session. */
void spikenm_set_threads(int threads);

#ifdef __cplusplus
}
#endif

#endif

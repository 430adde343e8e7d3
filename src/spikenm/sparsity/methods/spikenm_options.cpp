#include "spikenm/sparsity/methods/spikenm_options.h"

#include "spikenm/sparsity/methods/spikenm_keys.h"
#include "spikenm/sparsity/temperature.h"

namespace spikenm::sparsity {
namespace {

using namespace spikenm_key;

// The choices that measured best so far (docs/options.md, "Presets"): a long search; input-channel
// blocks; distinct positions whose number falls from m to n; little noise, held for a share of the
// search, so that weights train under masks that last; a prior from the weights; little
// distillation; the top n frozen. Every time is a share of the search.
SpikenmOptions default_preset() {
  SpikenmOptions o;
  o.search_share = 0.75;
  o.axis = nm::Axis::kIn;
  o.replace = false;
  o.draws_start = nm::NmPattern::kMaxM;  // stands for m of every pattern
  o.redraw_every = {.percent = 3};
  o.noise_from = 0.3;
  o.noise_to = 0.005;
  o.prior_kappa = 1;
  o.eid.lambda = 0.2;
  o.tau_min = 1;
  o.logit_std = 0;
  o.logit_lr = 0.005;
  o.freeze = Freeze::kTopN;
  return o;
}

// One number, or [from, to].
void read_noise(const Config& config, SpikenmOptions& o) {
  std::vector<double> fallback{o.noise_from};
  if (o.noise_to != o.noise_from) fallback.push_back(o.noise_to);
  const auto noise = kNoise.read(config, fallback);
  SPIKENM_CHECK(noise.size() == 1 || noise.size() == 2,
                "{}: found {} numbers, wanted one or [from, to]", config.full_key("noise"),
                noise.size());

  o.noise_from = noise.front();
  o.noise_to = noise.back();
  const bool anneals = noise.size() == 2;
  SPIKENM_CHECK(o.noise_from >= 0 && (!anneals || (o.noise_from > 0 && o.noise_to > 0)),
                "{}: found {:g} to {:g}, wanted positive numbers", config.full_key("noise"),
                o.noise_from, o.noise_to);
}

// Credits, their target and the weight of both.
void read_distillation(const Config& config, SpikenmOptions& o) {
  const auto choice = [&](const ChoiceKey& key, auto current) {
    return key.read(config, static_cast<size_t>(current));
  };
  o.credit = static_cast<ops::CreditKind>(choice(kCredit, o.credit));
  ops::CreditTarget& target = o.eid.target;
  target.credit_scale = static_cast<nm::CreditScale>(choice(kCreditScale, target.credit_scale));
  target.tau_q = kTauQ.read(config, target.tau_q);
  target.kind = static_cast<ops::TargetKind>(choice(kEidTarget, target.kind));
  o.eid.pi_has_prior = choice(kEidStudent, o.eid.pi_has_prior ? 0 : 1) == 0;
  o.eid.lambda = kLambdaEid.read(config, o.eid.lambda);
  o.eid.mean_over_blocks = choice(kEidReduce, o.eid.mean_over_blocks ? 0 : 1) == 0;

  const char* const cause = o.distills() ? "eid_target" : "lambda_eid";
  if (target.is_uniform() || !o.distills())
    for (const char* key : {"credit", "credit_scale", "tau_q"})
      config.no_effect(key, {cause, "preset"});
  if (!o.distills())
    for (const char* key : {"eid_target", "eid_reduce", "eid_student"})
      config.no_effect(key, {cause, "preset"});
  if (o.distills() && o.prior_kappa == 0)
    config.no_effect("eid_student", {"prior_kappa", "preset"});
}

// How many positions a block's mask has, and how they are drawn.
void read_draws(const Config& config, SpikenmOptions& o) {
  o.replace = kDraws.read(config, o.replace ? 0 : 1) == 0;
  const int64_t start = kDrawsStart.read(config, o.draws_start);
  o.or_gradient =
      static_cast<nm::OrGradient>(kOrGrad.read(config, static_cast<size_t>(o.or_gradient)));
  o.draws_start = o.replace ? 0 : start;  // only distinct positions can be more than n
  config.no_effect(o.replace ? "draws_start" : "or_grad", {"draws", "preset"});
}

}  // namespace

SpikenmOptions read_spikenm_options(const Config& config) {
  SpikenmOptions o = kPreset.read(config) == 0 ? SpikenmOptions{} : default_preset();
  const auto choice = [&](const ChoiceKey& key, auto current) {
    return key.read(config, static_cast<size_t>(current));
  };

  o.axis = nm::parse_axis(spikenm_key::kAxis.read(config, std::string(nm::axis_name(o.axis))),
                          config.full_key("axis"));
  read_draws(config, o);
  o.redraw_every = read_interval(config, kRedrawEvery, o.redraw_every);
  o.regrow_from_zero = choice(kRegrow, o.regrow_from_zero ? 1 : 0) == 1;
  read_noise(config, o);
  o.prior_kappa = kPriorKappa.read(config, o.prior_kappa);
  o.dense_weight_grad = choice(kWeightGrad, o.dense_weight_grad ? 1 : 0) == 1;
  read_distillation(config, o);
  read_temperatures(config, spikenm_key::kTauMin, o.tau_max, o.tau_min);
  o.logit_std = kLogitStd.read(config, o.logit_std);
  o.logit_lr = kLogitLr.read(config, o.logit_lr);
  o.logit_eps = kLogitEps.read(config, o.logit_eps);
  o.logits_follow_schedule = kLogitSchedule.read(config, o.logits_follow_schedule);
  o.freeze = static_cast<Freeze>(choice(kFreeze, o.freeze));
  o.freeze_draw = static_cast<uint32_t>(kFreezeDraw.read(config));

  if (o.freeze != Freeze::kResample) config.no_effect("freeze_draw", {"freeze", "preset"});
  return o;
}

}  // namespace spikenm::sparsity

#include "spikenm/sparsity/methods/spikenm_options.h"

#include "spikenm/sparsity/temperature.h"

namespace spikenm::sparsity {
namespace {

const std::vector<std::string> kDraws{"at-most", "exactly"};
const std::vector<std::string> kOrGradients{"literal", "soft"};
const std::vector<std::string> kWeightGrads{"masked", "dense"};
const std::vector<std::string> kCredits{"temporal", "net"};
const std::vector<std::string> kCreditScales{"raw", "block-mean", "layer-mean", "block-z"};
const std::vector<std::string> kTargets{"credit", "uniform"};
const std::vector<std::string> kReduces{"mean", "sum"};
const std::vector<std::string> kFreezes{"last", "top-n", "resample"};

// What measures best so far (docs/method.md, "Presets"): input-channel blocks; distinct positions
// whose number falls from m to n; little noise, so that the mask moves slowly; a prior that knows
// the weights; the top n frozen.
SpikenmOptions default_preset() {
  SpikenmOptions o;
  o.axis = nm::Axis::kIn;
  o.replace = false;
  o.draws_start = nm::NmPattern::kMaxM;  // m of every pattern
  o.noise_from = 0.3;
  o.noise_to = 0.02;
  o.prior_kappa = 1;
  o.logit_lr = 0.05;
  o.freeze = Freeze::kTopN;
  return o;
}

// One number, or [from, to].
void read_noise(const Config& config, SpikenmOptions& o) {
  std::vector<double> fallback{o.noise_from};
  if (o.noise_to != o.noise_from) fallback.push_back(o.noise_to);
  const auto noise = config.get<std::vector<double>>("noise", fallback);
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
  const auto choice = [&](const char* key, auto current, const std::vector<std::string>& names) {
    return config.get_choice(key, names[static_cast<size_t>(current)], names);
  };
  o.credit = static_cast<ops::CreditKind>(choice("credit", o.credit, kCredits));
  ops::CreditTarget& target = o.eid.target;
  target.credit_scale =
      static_cast<nm::CreditScale>(choice("credit_scale", target.credit_scale, kCreditScales));
  target.tau_q = config.get_real("tau_q", target.tau_q, 1e-6);
  target.uniform = choice("eid_target", target.uniform ? 1 : 0, kTargets) == 1;
  o.eid.lambda = config.get_real("lambda_eid", o.eid.lambda, 0);
  o.eid.mean_over_blocks = choice("eid_reduce", o.eid.mean_over_blocks ? 0 : 1, kReduces) == 0;
  const char* const cause = o.distills() ? "eid_target" : "lambda_eid";
  if (target.uniform || !o.distills())
    for (const char* key : {"credit", "credit_scale", "tau_q"})
      config.no_effect(key, {cause, "preset"});
  if (!o.distills())
    for (const char* key : {"eid_target", "eid_reduce"}) config.no_effect(key, {cause, "preset"});
}

// How many positions a block's mask has, and how it gets them.
void read_draws(const Config& config, SpikenmOptions& o) {
  o.replace = config.get_choice("draws", kDraws[o.replace ? 0 : 1], kDraws) == 0;
  const int64_t start = config.get_int("draws_start", o.draws_start, 0, nm::NmPattern::kMaxM);
  o.or_gradient = static_cast<nm::OrGradient>(
      config.get_choice("or_grad", kOrGradients[static_cast<size_t>(o.or_gradient)], kOrGradients));
  o.draws_start = o.replace ? 0 : start;  // only distinct positions can be more than n
  config.no_effect(o.replace ? "draws_start" : "or_grad", {"draws", "preset"});
}

}  // namespace

SpikenmOptions read_spikenm_options(const Config& config) {
  SpikenmOptions o = config.get_choice("preset", "default", {"paper", "default"}) == 0
                         ? SpikenmOptions{}
                         : default_preset();
  const auto choice = [&](const char* key, auto current, const std::vector<std::string>& names) {
    return config.get_choice(key, names[static_cast<size_t>(current)], names);
  };
  o.axis = nm::parse_axis(config.get<std::string>("axis", std::string(nm::axis_name(o.axis))),
                          config.full_key("axis"));
  read_draws(config, o);
  o.redraw_every = read_interval(config, "redraw_every", o.redraw_every);
  read_noise(config, o);
  o.prior_kappa = config.get_real("prior_kappa", o.prior_kappa, 0, 1e6);
  o.dense_weight_grad = choice("weight_grad", o.dense_weight_grad ? 1 : 0, kWeightGrads) == 1;
  read_distillation(config, o);
  read_temperatures(config, o.tau_max, o.tau_min);
  o.logit_std = config.get_real("logit_std", o.logit_std, 0);
  o.logit_lr = config.get_real("logit_lr", o.logit_lr, 0);
  o.logit_eps = config.get_real("logit_eps", o.logit_eps, 0);
  o.freeze = static_cast<Freeze>(choice("freeze", o.freeze, kFreezes));
  o.freeze_draw = static_cast<uint32_t>(config.get_int("freeze_draw", 0, 0, 1'000'000));
  if (o.freeze != Freeze::kResample) config.no_effect("freeze_draw", {"freeze", "preset"});
  return o;
}

}  // namespace spikenm::sparsity

// Every step functor that neurons.inc names.
#pragma once

#include "spikenm/kernels/math/steps/if.h"
#include "spikenm/kernels/math/steps/lif.h"
#include "spikenm/kernels/math/steps/plif.h"

-- roofline.lua: where does attention lie under the roofs of a device, and what does fusing move?
--
-- Three kernels write the scores and probabilities to HBM and read them again: about 31 FLOP a byte, far left of the
-- ridge, so bandwidth is all they get.  Fused, the same FLOP stand on a sixteenth of the bytes: the dot moves right,
-- past the ridge, and up.  The intensities of one kernel rise outwards (shared memory, L2, HBM), since each level
-- catches what the one outside it need not move again.
--
--     kcost scripts/roofline.lua --plot roofline.svg         both plots: roofline.svg, roofline-2.svg
--     kcost scripts/roofline.lua --plot - --device a100      in the terminal
--     kcost scripts/roofline.lua --device h100,a100          two devices in one picture
local kc = require "kcost"

local size = { batch = 64, heads = 16, seq = kc.param("seq", 1024), head_dim = kc.param("head_dim", 64) }
local devices = kc.lib.report.words(kc.param("device", "h100-sxm5"))
local attention = kc.lib.attention

local c = kc.compare({ attention.standard(size), attention.flash(size) }, devices)

return kc.plot.roofline(c), kc.plot.ledger(c)

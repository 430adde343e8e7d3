"""tools/gpu_figures.py on canned output."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import gpu_figures as figures  # noqa: E402

NET = figures.NETS["6conv2fc"]  # dense ≤ 9.3 ms and 1.9 GB, search ≤ 11.4 ms, 2.5 × the peer


def ours(ms, gb=1.8, floor=None):
    result = {"step": {"median_ms": ms, "spread_ms": 0.05}, "peak_memory_gb": gb}
    return {**result, "floor": {"sum_ms": floor}} if floor else result


def line(
    ms=None,
    net="6conv2fc",
    method="dense",
    precision="bf16",
    channels_last=False,
    graph=False,
    **more,
):
    setting = {
        "net": net,
        "method": method,
        "precision": precision,
        "channels_last": channels_last,
        "graph": graph,
    }
    return {**setting, **({"error": "out of memory"} if ms is None else {"ms": ms}), **more}


def row(rows, ending):
    found = [r for r in rows if r.name.endswith(ending)]
    assert len(found) == 1, (ending, [r.name for r in rows])
    return found[0]


class Reading(unittest.TestCase):
    def test_an_object_is_found_behind_other_text(self):
        self.assertEqual(
            figures.json_object('warning: slow\n{"a": {"b": 1}}\nbye\n'), {"a": {"b": 1}}
        )
        for text in ("", "no object", '{"cut": '):
            self.assertRaises(ValueError, figures.json_object, text)

    def test_lines_that_are_no_objects_are_left_out(self):
        text = 'W1115 Triton\n{"ms": 1}\n[1]\n{"ms": 2}\n{"ms": \n'
        self.assertEqual(figures.json_lines(text), [{"ms": 1}, {"ms": 2}])

    def test_tests_are_counted_once_and_a_crash_is_seen(self):
        log = (
            "[ RUN      ] CudaDraw.A\n[       OK ] CudaDraw.A (12 ms)\n[ RUN      ] CudaDraw.B\nboom\n"
            "[  FAILED  ] CudaDraw.B (3 ms)\n[  SKIPPED ] CudaDraw.C (0 ms)\n"
        )
        end = (
            "[==========] 3 tests from 1 test suite ran. (15 ms total)\n[  FAILED  ] 1 test, listed below:\n"
            "[  FAILED  ] CudaDraw.B\n"
        )
        wanted = {"CudaDraw.A": True, "CudaDraw.B": False}
        self.assertEqual(figures.test_outcomes(log + end), (wanted, True))
        self.assertEqual(figures.test_outcomes(log), (wanted, False))

    def test_the_sanitizers_summaries_are_read(self):
        self.assertEqual(figures.sanitizer_count("========= ERROR SUMMARY: 0 errors\n"), 0)
        self.assertEqual(figures.sanitizer_count("========= ERROR SUMMARY: 1 error\n"), 1)
        self.assertEqual(
            figures.sanitizer_count(
                "========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)\n"
            ),
            2,
        )
        self.assertIsNone(figures.sanitizer_count("========= COMPUTE-SANITIZER\n"))


class Judging(unittest.TestCase):
    def test_the_peer_is_its_fastest_setting_that_ran(self):
        peer = [
            line(23.3),
            line(),
            line(21.0, precision="fp16", graph=True),
            line(9.0, net="vggsnn"),
            line(20.0, precision="fp32"),
        ]
        rows = figures.net_figures(NET, {"dense": [ours(8.4)]}, peer, [])
        dense = row(rows, "dense step")
        self.assertEqual(dense.peer, "21.00 ms (fp16, NCHW, graph)")
        self.assertEqual(
            (dense.ours, dense.target, dense.ratio, dense.verdict),
            ("8.40 ms (spread 0.05)", "≤ 9.3 ms", "2.50×", "met"),
        )
        self.assertEqual(row(rows, "against the peer's fastest").verdict, "met")

    def test_a_hair_beyond_a_target_is_missed(self):
        rows = figures.net_figures(
            NET,
            {"dense": [ours(9.31, gb=1.91)], "search": [ours(11.64)]},
            [line(23.2, peak_memory_gb=3.82)],
            [line(34.1, method="eid")],
        )
        self.assertEqual(row(rows, "dense step").verdict, "missed")
        self.assertEqual(row(rows, "against the peer's fastest").verdict, "missed")
        memory = row(rows, "dense step, peak memory")
        self.assertEqual(
            (memory.ours, memory.peer, memory.ratio, memory.verdict),
            ("1.91 GB", "3.82 GB", "2.00×", "missed"),
        )
        search = row(rows, "search step 2:4 with EID")
        self.assertEqual((search.peer, search.verdict), ("34.10 ms (bf16, NCHW)", "missed"))
        over = row(rows, "over dense")
        self.assertEqual((over.ours, over.verdict), ("+25 %", "missed"))  # 25.03 %

    def test_the_method_on_the_peer_is_the_one_with_eid(self):
        plain = [
            line(29.7, method="mask"),
            line(34.1, method="eid"),
            line(33.0, method="eid", channels_last=True),
        ]
        rows = figures.net_figures(NET, {"search": [ours(11.0)]}, [], plain)
        self.assertEqual(row(rows, "EID").peer, "33.00 ms (bf16, channels-last)")
        self.assertEqual(row(rows, "EID").ratio, "3.00×")

    def test_the_search_stands_beside_the_peers_memory_too(self):
        plain = [line(34.1, method="eid", peak_memory_gb=9.0), line(33.0, method="eid", graph=True, peak_memory_gb=11.1)]
        rows = figures.net_figures(NET, {"search": [ours(11.0, gb=3.6), ours(11.2, gb=3.7)]}, [], plain)
        memory = row(rows, "EID, peak memory")
        self.assertEqual(
            (memory.ours, memory.target, memory.peer, memory.ratio, memory.verdict),
            ("3.70 GB", "–", "11.10 GB", "3.00×", "–"),
        )
        alone = figures.net_figures(NET, {"search": [ours(11.0, gb=3.6)]}, [], [line(34.1, method="eid")])
        self.assertEqual(row(alone, "EID, peak memory").peer, "–")

    def test_rounds_give_their_median_and_the_largest_memory(self):
        rows = figures.net_figures(
            NET, {"dense": [ours(9.0, 1.7, 6.3), ours(9.4, 1.9, 6.5)]}, [], []
        )
        self.assertEqual(row(rows, "dense step").ours, "9.20 ms (spread 0.05)")
        self.assertEqual(row(rows, "peak memory").ours, "1.90 GB")
        self.assertEqual(row(rows, "products alone").ours, "6.40 ms, 70 % of the step")

    def test_without_a_peer_or_a_target_there_is_no_verdict(self):
        rows = figures.net_figures(
            figures.NETS["sew_resnet18"], {"dense": [ours(5.0)], "fp32": [ours(20.0)]}, [], []
        )
        self.assertEqual([r.verdict for r in rows], ["–", "–", "–"])
        self.assertEqual([r.peer for r in rows], ["–", "–", "–"])
        self.assertEqual(figures.net_figures(NET, {}, [line(23.3)], []), [])

    def test_fp32_stands_beside_the_peers_fp32(self):
        rows = figures.net_figures(
            NET, {"fp32": [ours(20.0)]}, [line(10.0), line(50.0, precision="fp32")], []
        )
        self.assertEqual((rows[0].peer, rows[0].ratio), ("50.00 ms (fp32, NCHW)", "2.50×"))

    def test_claims_are_met_when_all_their_tests_pass(self):
        rows = figures.claim_figures(
            {"CudaDraw.A": True, "CudaMask.B": True, "CudaNormNeuron.C": False, "Other.D": False}
        )
        self.assertEqual(
            [(r.ours, r.verdict) for r in rows],
            [("2 of 2 tests pass", "met"), ("0 of 1 tests pass", "missed")],
        )
        self.assertEqual(figures.claim_figures({}), [])


class Writing(unittest.TestCase):
    def test_the_page_holds_figures_stages_and_machine(self):
        page = figures.report(
            {"device": "H200"}, [figures.Figure("a|b", "1 ms")], [("build", "done")]
        )
        self.assertEqual(
            page,
            "| figure | ours | target | peer's fastest | ratio |  |\n"
            "| --- | --- | --- | --- | --- | --- |\n"
            "| a\\|b | 1 ms | – | – | – | – |\n\n"
            "| stage | outcome |\n| --- | --- |\n| build | done |\n\ndevice: H200\n",
        )


if __name__ == "__main__":
    unittest.main()

package dev.millrace.providers.simd.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.codegen.program.DotOp;
import dev.millrace.codegen.program.Target;
import dev.millrace.graph.ir.Dim;
import dev.millrace.providers.simd.SimdFactory;
import dev.millrace.providers.simd.context.Machine.Weights;
import dev.millrace.providers.spi.Compatibility;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The judgement of a context before it is opened. */
class MachineTest {
    private static final Target VNNI = Target.AVX512.with(Set.of(DotOp.U8S8));

    private static Compatibility judged(Target here, Target there, Weights kept) {
        return Machine.of(here, Weights.ANY).judge(Machine.of(there, kept).info());
    }

    @Test
    void theMachineThatItWasCompiledOnSuitsBest() {
        for (Weights kept : Weights.values()) {
            assertThat(judged(VNNI, VNNI, kept)).isEqualTo(Compatibility.OPTIMAL);
        }
    }

    @Test
    void anotherMachinePacksAgainWhatWasKeptAsItWas() {
        assertThat(judged(Target.AVX2, VNNI, Weights.ANY)).isEqualTo(Compatibility.PREFER_RECOMPILATION);
        assertThat(judged(Target.AVX512, VNNI, Weights.ANY)).isEqualTo(Compatibility.PREFER_RECOMPILATION);
        assertThat(judged(Target.AVX2, VNNI, Weights.RECOVERABLE)).isEqualTo(Compatibility.PREFER_RECOMPILATION);
    }

    @Test
    void weightsThatWereKeptInAWayThatNobodyKnowsAreNotRead() {
        Machine here = Machine.of(Target.AVX2, Weights.ANY);
        String info = Machine.of(VNNI, Weights.RECOVERABLE).info();
        assertThat(here.judge(info)).isEqualTo(Compatibility.PREFER_RECOMPILATION);
        assertThat(here.judge(info.replace("recoverable", "target"))).isEqualTo(Compatibility.UNSUPPORTED);
    }

    @Test
    void whatIsPackedFromTheSourceSuitsAnyMachine() {
        assertThat(judged(Target.AVX2, VNNI, Weights.SOURCE)).isEqualTo(Compatibility.OPTIMAL);
        assertThat(judged(VNNI, Target.PLAIN, Weights.SOURCE)).isEqualTo(Compatibility.OPTIMAL);
    }

    @Test
    void anotherFormatIsNotRead() {
        var later = new Machine(PlanFormat.VERSION + 1, "avx512/16", Weights.ANY);
        assertThat(Machine.of(Target.AVX512, Weights.ANY).judge(later.info())).isEqualTo(Compatibility.UNSUPPORTED);
        assertThat(Machine.of(Target.AVX512, Weights.ANY).judge("simd;format=1;layout=f32-panels-256"))
                .isEqualTo(Compatibility.UNSUPPORTED);
    }

    @Test
    void othersAreNotJudged() {
        assertThat(Machine.of(Target.AVX2, Weights.ANY).judge("tensorrt 9")).isEqualTo(Compatibility.NOT_APPLICABLE);
        assertThat(Machine.of(Target.AVX2, Weights.ANY).judge("simdjson;x")).isEqualTo(Compatibility.NOT_APPLICABLE);
    }

    @Test
    void whatIsToBePortableIsKeptAsItIsToo() {
        var kept = new KeptPartition(Nets.transformer(), Map.of("portable", "true"));
        assertThat(kept.info()).endsWith(";weights=any");
        assertThat(kept.bulkBytes()).isGreaterThan(new KeptPartition(Nets.transformer()).bulkBytes() * 3 / 2);
    }

    @Test
    void theFactoryJudgesWhatItsProviderSaid() {
        var kept = new KeptPartition(Nets.transformer());
        assertThat(kept.info()).endsWith(";weights=recoverable");
        assertThat(new SimdFactory().validate(List.of(), kept.info())).isEqualTo(Compatibility.OPTIMAL);
    }

    @Test
    void whatWasTransformedIsKeptAsItWasToo() {
        var kept = new KeptPartition(Nets.convolutions(Dim.of(24), Dim.of(24)));
        assertThat(kept.info()).endsWith(";weights=recoverable");
        var all = new KeptPartition(Nets.convolutions(Dim.of(24), Dim.of(24)), Map.of("portable", "true"));
        assertThat(kept.bulkBytes()).isLessThan(all.bulkBytes());
    }
}

package dev.millrace.providers.simd.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.codegen.program.DotOp;
import dev.millrace.codegen.program.Target;
import dev.millrace.providers.simd.SimdFactory;
import dev.millrace.providers.spi.Compatibility;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is told of a context before it is opened. */
class MachineTest {
    private static final Target VNNI = Target.AVX512.with(Set.of(DotOp.U8S8));

    private static Compatibility judged(Target here, Target there, boolean needsTarget) {
        return Machine.of(here, false).judge(Machine.of(there, needsTarget).info());
    }

    @Test
    void theMachineThatItWasCompiledOnSuitsBest() {
        for (boolean needsTarget : new boolean[] {false, true}) {
            assertThat(judged(VNNI, VNNI, needsTarget)).isEqualTo(Compatibility.OPTIMAL);
        }
    }

    @Test
    void anotherMachinePacksAgainWhatWasKeptAsItWas() {
        assertThat(judged(Target.AVX2, VNNI, false)).isEqualTo(Compatibility.PREFER_RECOMPILATION);
        assertThat(judged(Target.AVX512, VNNI, false)).isEqualTo(Compatibility.PREFER_RECOMPILATION);
    }

    @Test
    void anotherMachineCannotReadWhatIsOnlyPackedForThatOne() {
        assertThat(judged(Target.AVX2, VNNI, true)).isEqualTo(Compatibility.UNSUPPORTED);
        assertThat(judged(VNNI, Target.PLAIN, true)).isEqualTo(Compatibility.UNSUPPORTED);
    }

    @Test
    void anotherFormatIsNotRead() {
        var later = new Machine(PlanFormat.VERSION + 1, "avx512/16", false);
        assertThat(Machine.of(Target.AVX512, false).judge(later.info())).isEqualTo(Compatibility.UNSUPPORTED);
        assertThat(Machine.of(Target.AVX512, false).judge("simd;format=1;layout=f32-panels-256"))
                .isEqualTo(Compatibility.UNSUPPORTED);
    }

    @Test
    void othersAreNotJudged() {
        assertThat(Machine.of(Target.AVX2, false).judge("tensorrt 9")).isEqualTo(Compatibility.NOT_APPLICABLE);
        assertThat(Machine.of(Target.AVX2, false).judge("simdjson;x")).isEqualTo(Compatibility.NOT_APPLICABLE);
    }

    @Test
    void theFactoryJudgesWhatItsProviderSaid() {
        var kept = new KeptPartition(Nets.transformer());
        assertThat(kept.info()).endsWith(";weights=target");
        assertThat(new SimdFactory().validate(List.of(), kept.info())).isEqualTo(Compatibility.OPTIMAL);
    }
}

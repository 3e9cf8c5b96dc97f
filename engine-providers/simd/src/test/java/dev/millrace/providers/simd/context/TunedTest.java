package dev.millrace.providers.simd.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.conv.ConvMethod;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The option to measure methods for the same work, and the choices that a context keeps. */
class TunedTest {
    private static final Map<String, String> TUNED = Map.of("tune", "true");

    private final Consumer<GraphEditor> net = Nets.convolutions(Dim.of(64), Dim.of(64));
    private final List<Tensor> images = List.of(Nets.random(new Random(31), 1, 3, 64, 64));
    private final KeptPartition tuned = new KeptPartition(net, TUNED);
    private final KeptPartition counted = new KeptPartition(net);

    private static StoredPlan plan(KeptPartition kept) {
        return PlanReader.read(MemorySegment.ofArray(kept.plan), kept.segments, "other");
    }

    private static float[] floats(List<Tensor> outputs) {
        return outputs.getFirst().floats();
    }

    /** Returns the partition with other choices of methods. */
    private static KeptPartition with(KeptPartition kept, Map<String, String> choices) {
        StoredPlan plan = plan(kept);
        PlanImage image =
                PlanWriter.write(new StoredPlan(plan.graph(), plan.strict(), choices, plan.packed(), plan.left()));
        kept.plan = image.plan();
        kept.segments = image.segments();
        return kept;
    }

    @Test
    void aContextKeepsTheMethodsThatWereMeasured() {
        List<String> methods =
                Arrays.stream(ConvMethod.values()).map(Enum::name).toList();

        assertThat(plan(tuned).choices()).isNotEmpty().allSatisfy((work, method) -> {
            assertThat(work)
                    .contains("conv of " + Kernels.shared().set().target().lanes() + " lanes");
            assertThat(methods).contains(method);
        });
        assertThat(plan(counted).choices()).isEmpty();
    }

    @Test
    void whatIsResolvedIsDoneAsItWasCompiled() {
        assertThat(floats(tuned.runResolved(images))).isEqualTo(floats(tuned.runCompiled(images)));
    }

    @Test
    void theMethodsOfAContextAreThoseOfItsPrograms() {
        var direct = new HashMap<>(plan(tuned).choices());
        direct.replaceAll((_, _) -> ConvMethod.DIRECT.name());
        var strict = new KeptPartition(net, Map.of("strict", "true"));
        var source = new KeptPartition(net, Map.of("tune", "true", "portable", "true"));

        float[] answer = floats(with(source, direct).runResolved(images));

        assertThat(answer).isEqualTo(floats(strict.runCompiled(images)));
        assertThat(answer).isNotEqualTo(floats(counted.runCompiled(images)));
    }

    @Test
    void strictSumsHaveNoChoice() {
        var strict = new KeptPartition(net, Map.of("tune", "true", "strict", "true"));

        assertThat(plan(strict).choices()).isEmpty();
    }

    @Test
    void itIsTrueOrFalse() {
        assertThat(KeptPartition.provider(Map.of("tune", "false"))).isNotNull();
        assertThatThrownBy(() -> KeptPartition.provider(Map.of("tune", "fast")))
                .hasMessageContainingAll("'tune'", "'fast'");
    }
}

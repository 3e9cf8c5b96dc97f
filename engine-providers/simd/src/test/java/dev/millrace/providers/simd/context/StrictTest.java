package dev.millrace.providers.simd.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The option for sums as exact as fp32 allows, from the source and from a context. */
class StrictTest {
    private static final Map<String, String> STRICT = Map.of("strict", "true");

    private final Consumer<GraphEditor> net = Nets.convolutions(Dim.of(224), Dim.of(224));
    private final List<Tensor> images = List.of(Nets.random(new Random(29), 1, 3, 224, 224));
    private final KeptPartition fast = new KeptPartition(net);
    private final KeptPartition strict = new KeptPartition(net, STRICT);

    private static float[] floats(List<Tensor> outputs) {
        return outputs.getFirst().floats();
    }

    @Test
    void otherMethodsGiveOtherLastBits() {
        assertThat(floats(strict.runCompiled(images))).isNotEqualTo(floats(fast.runCompiled(images)));
    }

    @Test
    void whatWasCompiledStrictlyStaysSo() {
        assertThat(floats(strict.runResolved(images))).isEqualTo(floats(strict.runCompiled(images)));
        assertThat(strict.resolve(STRICT)).isNotNull();
    }

    @Test
    void whatWasCompiledWithoutIsRefusedToThoseWhoWantIt() {
        assertThatThrownBy(() -> fast.resolve(STRICT))
                .hasMessageContainingAll("partition 'kept'", "'strict'", "compile the source model again");
    }

    @Test
    void itIsTrueOrFalse() {
        assertThat(KeptPartition.provider(Map.of("strict", "false"))).isNotNull();
        assertThatThrownBy(() -> KeptPartition.provider(Map.of("strict", "very")))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                .hasMessageContainingAll("'strict'", "'very'");
        assertThatThrownBy(() -> KeptPartition.provider(Map.of("exact", "true")))
                .hasMessageContainingAll("'exact'", "[portable, strict, tune]");
    }
}

package dev.millrace.providers.cpu.attention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import org.junit.jupiter.api.Test;

class LinearAttentionTest {
    private static final Tensor QUERY = steps(1, 10);
    private static final Tensor KEY = steps(2, 3);
    private static final Tensor VALUE = steps(5, 7);

    /** One head of one element over two steps. */
    private static OneNode one(String rule) {
        return OneNode.onnx("LinearAttention", 27)
                .with("q_num_heads", 1)
                .with("kv_num_heads", 1)
                .with("update_rule", rule)
                .with("scale", Attribute.of(1f));
    }

    private static Tensor steps(float first, float second) {
        return Tensor.copyOf(new float[] {first, second}, 1, 2, 1);
    }

    @Test
    void statesAddUp() {
        // 2 * 5, then 3 * 7 more
        assertThat(one("linear").run(QUERY, KEY, VALUE).floats()).containsExactly(10, 310);
        Tensor past = Tensor.copyOf(new float[] {1}, 1, 1, 1, 1);
        assertThat(one("linear").run(QUERY, KEY, VALUE, past).floats()).containsExactly(11, 320);
    }

    @Test
    void statesFade() {
        Tensor half = steps(0, (float) Math.log(0.5));
        // half of 10, and 21
        assertThat(one("gated").run(QUERY, KEY, VALUE, null, half).floats())
                .containsExactly(new float[] {10, 260}, within(1e-4f));
    }

    @Test
    void statesAreCorrected() {
        // 0.5 * 2 * 5; then 0.1 * 3 * (7 - 3 * 5) less
        assertThat(one("delta")
                        .run(QUERY, KEY, VALUE, null, null, steps(0.5f, 0.1f))
                        .floats())
                .containsExactly(new float[] {5, 26}, within(1e-4f));
    }

    @Test
    void severalHeadsOfQueriesAskOneOfKeys() {
        Tensor queries = Tensor.copyOf(new float[] {1, 2, 3, 4}, 1, 2, 2);
        Tensor y = one("linear").with("q_num_heads", 2).run(queries, KEY, VALUE);
        assertThat(y.floats()).containsExactly(10, 20, 93, 124);
    }

    @Test
    void whatDoesNotGoTogetherIsRefused() {
        assertThatThrownBy(() -> one("linear").with("q_num_heads", 2).run(QUERY, KEY, VALUE))
                .hasMessageContaining("do not go with 2 heads that ask 1");
        assertThatThrownBy(() -> one("gated").run(QUERY, KEY, VALUE)).hasMessageContaining("wants a decay or a rate");
    }
}

package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("reference")
class OnnxRuntimeTest {
    @Test
    void aCommandLineThatWouldEndTheProcessIsRefused() {
        OnnxRuntime.requireShort(3_900);
        assertThatThrownBy(() -> OnnxRuntime.requireShort(3_901))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("name fewer models at once");
    }
}

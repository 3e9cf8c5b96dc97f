package dev.millrace.providers.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CpuKernelsTest {
    private final GraphEditor editor = new GraphEditor(Graph.named("test"));

    private @Nullable Kernel kernel(NodeSpec spec) {
        return new CpuKernels().create(editor.append(spec, List.of("y")));
    }

    /** Tests that an operator that is lowered before a run needs no kernel. */
    @Test
    void onlyOperatorsThatMayWaitForTheirShapesAreLoweredInARun() {
        var pool = new OpId(OpId.MICROSOFT, "NhwcMaxPool");
        var sum = new OpId(OpId.MICROSOFT, "BiasAdd");
        Value open = editor.addInput("open", ValueType.tensor(ElementType.INT8));
        Value known = editor.addInput("known", ValueType.tensor(ElementType.INT8, Shape.of(1, 4, 4, 3)));
        for (Value x : List.of(open, known)) {
            assertThat(kernel(NodeSpec.of(pool, 1, x).with("kernel_shape", Attribute.of(new long[] {2, 2}))))
                    .isInstanceOf(LoweredInRun.class);
            assertThat(kernel(NodeSpec.of(sum, 1, x, x, x))).isNull();
        }
    }
}

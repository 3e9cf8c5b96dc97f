package dev.millrace.providers.simd.rule.quant;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GatherBlocksRuleTest {
    private static final int ROWS = 9;
    private static final int BLOCKS = 3;

    private final Random random = new Random(5);

    private Comparison comparison(
            ElementType type, int bits, int block, ElementType scaleType, boolean withZeros, ElementType cast) {
        long perByte = type == ElementType.UINT8 ? 8 / bits : 1;
        Tensor data = RandomTensors.bits(random, type, ROWS, BLOCKS * block / perByte);
        Tensor scales = Tensor.allocate(scaleType, Shape.of(ROWS, BLOCKS));
        for (int i = 0; i < scales.elements(); i++) {
            Elements.setDouble(scaleType, scales.segment(), i, random.nextDouble(0.01, 0.1));
        }
        Tensor zeros = RandomTensors.bits(random, type, ROWS, (BLOCKS + perByte - 1) / perByte);
        return new Comparison(editor -> graph(editor, data, scales, withZeros ? zeros : null, bits, block, cast));
    }

    private static void graph(
            GraphEditor editor,
            Tensor data,
            Tensor scales,
            @Nullable Tensor zeros,
            int bits,
            int block,
            ElementType indices) {
        List<@Nullable Value> operands = new ArrayList<>();
        operands.add(editor.addConstant("data", data));
        operands.add(Comparison.input(editor, "indices", indices, 2));
        operands.add(editor.addConstant("scales", scales));
        operands.add(zeros == null ? null : editor.addConstant("zeros", zeros));
        NodeSpec spec = NodeSpec.of(new OpId(OpId.MICROSOFT, "GatherBlockQuantized"), 1, operands)
                .with("bits", Attribute.of(bits))
                .with("block_size", Attribute.of(block));
        editor.addOutput("y", editor.append(spec, List.of("y")).requireOutput(0));
    }

    @ParameterizedTest
    @CsvSource({
        "UINT8, 4, 32, FLOAT, false, INT64",
        "UINT8, 4, 32, FLOAT16, true, INT64",
        "UINT8, 4, 128, BFLOAT16, true, INT32",
        "UINT8, 8, 16, FLOAT, true, INT64",
        "UINT8, 8, 64, FLOAT16, false, INT32",
        "UINT4, 4, 32, FLOAT, true, INT64",
        "UINT4, 4, 32, FLOAT, false, INT64",
        "INT4, 4, 16, FLOAT, false, INT64",
        "INT4, 4, 32, FLOAT16, true, INT32"
    })
    void rowsOfBlocks(
            ElementType type, int bits, int block, ElementType scales, boolean withZeros, ElementType indices) {
        try (Comparison both = comparison(type, bits, block, scales, withZeros, indices)) {
            both.agreesOn(RandomTensors.whole(indices, Shape.of(1, 1), () -> -ROWS))
                    .withoutFallback();
            both.agreesOn(RandomTensors.whole(indices, Shape.of(2, 40), () -> random.nextInt(-ROWS, ROWS)))
                    .withoutFallback();
        }
    }

    @Test
    void anIndexThatIsOutOfRangeIsTheCallersFault() {
        try (Comparison both = comparison(ElementType.UINT8, 4, 32, ElementType.FLOAT, false, ElementType.INT64)) {
            assertThatThrownBy(() -> both.agreesOn(Tensor.copyOf(new long[] {ROWS}, 1, 1)))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("index 9");
        }
    }
}

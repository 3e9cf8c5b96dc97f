package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtException.OrtErrorCode;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.RunOptions;
import dev.millrace.graph.tensor.ElementType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs: their inputs, their options and the order and ownership of their outputs. */
@Tag("reference")
class RunTest {
    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    private OrtSession sum;
    private OrtSession columns;
    private OnnxTensor x;
    private OnnxTensor y;
    private OnnxTensor row;

    @BeforeEach
    void open() throws OrtException {
        sum = environment.createSession(SmallModels.sum());
        columns = environment.createSession(SmallModels.columns());
        x = OnnxTensor.createTensor(environment, new float[][] {{1, 2}, {3, 4}});
        y = OnnxTensor.createTensor(environment, new float[][] {{10, 20}, {30, 40}});
        row = OnnxTensor.createTensor(environment, new float[][] {{1, 2, 3}});
    }

    @AfterEach
    void close() throws OrtException {
        OnnxValue.close(List.of(x, y, row));
        sum.close();
        columns.close();
    }

    private OnnxTensor target(long... shape) throws OrtException {
        int count = 1;
        for (long extent : shape) {
            count *= (int) extent;
        }
        FloatBuffer buffer = ByteBuffer.allocateDirect(4 * count)
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer();
        return OnnxTensor.createTensor(environment, buffer, shape);
    }

    private static List<String> namesOf(OrtSession.Result result) {
        var names = new ArrayList<String>();
        result.forEach(entry -> names.add(entry.getKey()));
        return names;
    }

    @Test
    void aResultIsReadByNumberAndByName() throws OrtException {
        try (var result = sum.run(Map.of("in0", x, "in1", y))) {
            assertThat(result.size()).isEqualTo(1);
            assertThat(result.get(0).getValue()).isEqualTo(new float[][] {{11, 22}, {33, 44}});
            assertThat(result.get("out0")).hasValue(result.get(0));
            assertThat(result.get("other")).isEmpty();
            assertThat(result.isResultOwner(0)).isTrue();
            assertThat(((OnnxTensor) result.get(0)).ownsBuffer()).isFalse();
            assertThat(result.iterator().next().getKey()).isEqualTo("out0");
            assertThatThrownBy(() -> result.get(5)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> result.get(-1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> result.isResultOwner(5)).isInstanceOf(ArrayIndexOutOfBoundsException.class);
        }
    }

    @Test
    void closingAResultClosesItsValues() throws OrtException {
        var result = sum.run(Map.of("in0", x, "in1", y));
        OnnxValue value = result.get(0);
        result.close();
        assertThat(value.isClosed()).isTrue();
        assertThatThrownBy(value::getValue).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> result.get(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> result.get("out0")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(result::iterator).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> result.isResultOwner(0)).isInstanceOf(IllegalStateException.class);
        assertThat(result.size()).isEqualTo(1);
        result.close();
        assertThat(x.isClosed()).isFalse();
    }

    @Test
    void aValueMayCloseBeforeItsResult() throws OrtException {
        var result = sum.run(Map.of("in0", x, "in1", y));
        result.get(0).close();
        result.close();
        assertThat(x.isClosed()).isFalse();
    }

    @Test
    void aResultOutlivesItsSession() throws OrtException {
        OrtSession session = environment.createSession(SmallModels.sum());
        var result = session.run(Map.of("in0", x, "in1", y));
        session.close();
        assertThat(result.get(0).getValue()).isEqualTo(new float[][] {{11, 22}, {33, 44}});
        result.close();
    }

    @Test
    void inputsMayCloseAfterTheRun() throws OrtException {
        OnnxTensor input = OnnxTensor.createTensor(environment, new float[][] {{1, 1}});
        try (var result = sum.run(Map.of("in0", input, "in1", input))) {
            input.close();
            assertThat(result.get(0).getValue()).isEqualTo(new float[][] {{2, 2}});
        }
    }

    @Test
    void anOutputIsAnInputOfTheNextRun() throws OrtException {
        try (var first = sum.run(Map.of("in0", x, "in1", y));
                var second = sum.run(Map.of("in0", (OnnxTensor) first.get(0), "in1", x))) {
            assertThat(second.get(0).getValue()).isEqualTo(new float[][] {{12, 24}, {36, 48}});
            assertThat(first.get(0).getValue()).isEqualTo(new float[][] {{11, 22}, {33, 44}});
        }
    }

    @Test
    void outputsAreInTheModelsOrder() throws OrtException {
        try (var result = columns.run(Map.of("in0", row))) {
            assertThat(namesOf(result)).containsExactly("out0", "out1", "out2");
            assertThat(result.get(2).getValue()).isEqualTo(new float[][] {{3}});
        }
    }

    @Test
    void requestedOutputsAreInTheOrderOfTheRequest() throws OrtException {
        var wanted = new LinkedHashSet<>(List.of("out2", "out0"));
        try (var result = columns.run(Map.of("in0", row), wanted);
                var same = columns.run(Map.of("in0", row), wanted, new RunOptions())) {
            assertThat(namesOf(result)).containsExactly("out2", "out0");
            assertThat(result.get(0).getValue()).isEqualTo(new float[][] {{3}});
            assertThat(result.get("out1")).isEmpty();
            assertThat(namesOf(same)).containsExactly("out2", "out0");
        }
    }

    @Test
    void pinnedOutputsComeFirstAndStayTheCallers() throws OrtException {
        OnnxTensor target = target(1, 1);
        var wanted = new LinkedHashSet<>(List.of("out2", "out1"));
        var result = columns.run(Map.of("in0", row), wanted, Map.of("out0", target));
        assertThat(namesOf(result)).containsExactly("out0", "out2", "out1");
        assertThat(result.get(0)).isSameAs(target);
        assertThat(result.isResultOwner(0)).isFalse();
        assertThat(result.isResultOwner(1)).isTrue();
        assertThat(result.isResultOwner(2)).isTrue();
        OnnxValue owned = result.get(1);
        result.close();
        assertThat(owned.isClosed()).isTrue();
        assertThat(target.isClosed()).isFalse();
        assertThat(target.getValue()).isEqualTo(new float[][] {{1}});
        target.close();
    }

    @Test
    void aPinnedOutputIsWrittenIntoItsBuffer() throws OrtException {
        try (OnnxTensor target = target(2, 2);
                var result = sum.run(Map.of("in0", x, "in1", y), Map.of("out0", target));
                var again = sum.run(Map.of("in0", x, "in1", x), Set.of(), Map.of("out0", target), new RunOptions())) {
            assertThat(result.size()).isEqualTo(1);
            assertThat(again.get(0)).isSameAs(target);
            FloatBuffer buffer = (FloatBuffer) target.getBufferRef().orElseThrow();
            assertThat(buffer.get(3)).isEqualTo(8);
        }
    }

    @Test
    void pinnedOutputsFitTheModel() throws OrtException {
        try (OnnxTensor vector = target(4);
                OnnxTensor ints = OnnxTensor.createTensor(environment, new int[2][2]);
                OnnxTensor fitting = target(2, 2)) {
            Map<String, OnnxTensor> inputs = Map.of("in0", x, "in1", y);
            assertThat(Failing.codeOf(() -> sum.run(inputs, Map.of("out0", vector))))
                    .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
            assertThat(Failing.codeOf(() -> sum.run(inputs, Map.of("out0", ints))))
                    .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
            assertThat(Failing.codeOf(() -> sum.run(inputs, Map.of("other", fitting))))
                    .isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
            assertThat(Failing.codeOf(() -> sum.run(inputs, Set.of("out0"), Map.of("out0", fitting))))
                    .isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
            assertThat(Failing.codeOf(() -> sum.run(inputs, Map.of()))).isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
        }
    }

    @Test
    void namesAndNumbersOfInputsAreChecked() throws OrtException {
        for (Map<String, OnnxTensor> wrong : List.of(
                Map.<String, OnnxTensor>of(), Map.of("in0", x, "other", y), Map.of("in0", x, "in1", y, "in2", y))) {
            assertThat(Failing.codeOf(() -> sum.run(wrong))).isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
        }
        Failing.codeOf(() -> sum.run(Map.of("in0", x)));
    }

    @Test
    void namesOfOutputsAreChecked() {
        Map<String, OnnxTensor> inputs = Map.of("in0", x, "in1", y);
        for (Set<String> wrong : List.of(Set.of("other"), Set.<String>of(), Set.of("out0", "other"))) {
            assertThat(Failing.codeOf(() -> sum.run(inputs, wrong))).isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
        }
    }

    @Test
    void shapesAndTypesOfInputsAreChecked() throws OrtException {
        for (Object wrong : List.of(new float[] {1, 2}, new float[1][3], new double[2][2], new long[2][2], 1f)) {
            try (var tensor = OnnxTensor.createTensor(environment, wrong)) {
                assertThat(Failing.codeOf(() -> sum.run(Map.of("in0", tensor, "in1", y))))
                        .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
            }
        }
        try (var strings = OnnxTensor.createTensor(environment, new String[] {"a", "b"}, new long[] {1, 2});
                var result = sum.run(Map.of("in0", x, "in1", y))) {
            assertThat(Failing.codeOf(() -> sum.run(Map.of("in0", strings, "in1", y))))
                    .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
            assertThat(result.size()).isEqualTo(1);
        }
    }

    @Test
    void rowsMayBeAnyNumberAndNone() throws OrtException {
        try (var three = OnnxTensor.createTensor(environment, new float[3][2]);
                var none = OnnxTensor.createTensor(environment, FloatBuffer.allocate(0), new long[] {0, 2});
                var first = sum.run(Map.of("in0", three, "in1", three));
                var second = sum.run(Map.of("in0", none, "in1", none))) {
            assertThat(first.get(0).getValue()).isEqualTo(new float[3][2]);
            assertThat(second.get(0).getValue()).isEqualTo(new float[0][2]);
            assertThat(((OnnxTensor) second.get(0)).getFloatBuffer().remaining())
                    .isZero();
        }
    }

    @Test
    void scalarsGoInAndOut() throws OrtException {
        try (var negative = environment.createSession(SmallModels.negative());
                var total = environment.createSession(SmallModels.total());
                var two = OnnxTensor.createTensor(environment, 2f);
                var vector = OnnxTensor.createTensor(environment, new float[] {1.5f, 2});
                var first = negative.run(Map.of("in0", two));
                var second = total.run(Map.of("in0", vector))) {
            assertThat(first.get(0).getValue()).isEqualTo(-2f);
            assertThat(second.get(0).getValue()).isEqualTo(3.5f);
            assertThat(((OnnxTensor) second.get(0)).getFloatBuffer()).isEqualTo(FloatBuffer.wrap(new float[] {3.5f}));
        }
    }

    @Test
    void stringsGoInAndOut() throws OrtException {
        String[][] texts = {{"a", "\u00fc\u20ac"}, {"", "d"}};
        try (var session = environment.createSession(SmallModels.identity(ElementType.STRING));
                var input = OnnxTensor.createTensor(environment, texts);
                var result = session.run(Map.of("in0", input))) {
            assertThat(result.get(0).getValue()).isEqualTo(texts);
            assertThat(((OnnxTensor) result.get(0)).getByteBuffer()).isNull();
        }
    }

    @Test
    void elementsOfOutputsHaveATypeOfJava() throws OrtException {
        assertCast(ElementType.UINT8, new byte[] {1, (byte) 200, 64});
        assertCast(ElementType.INT16, new short[] {1, 200, 64});
        assertCast(ElementType.UINT16, new short[] {1, 200, 64});
        assertCast(ElementType.UINT32, new int[] {1, 200, 64});
        assertCast(ElementType.INT32, new int[] {1, 200, 64});
        assertCast(ElementType.UINT64, new long[] {1, 200, 64});
        assertCast(ElementType.INT64, new long[] {1, 200, 64});
        assertCast(ElementType.BOOL, new boolean[] {true, true, true});
        assertCast(ElementType.DOUBLE, new double[] {1.5, 200, 64});
        assertCast(ElementType.FLOAT16, new float[] {1.5f, 200, 64});
        assertCast(ElementType.BFLOAT16, new float[] {1.5f, 200, 64});
    }

    private void assertCast(ElementType type, Object expected) throws OrtException {
        try (var session = environment.createSession(SmallModels.cast(type));
                var input = OnnxTensor.createTensor(environment, new float[] {1.5f, 200, 64});
                var result = session.run(Map.of("in0", input))) {
            assertThat(result.get(0).getValue()).as(type.toString()).isEqualTo(expected);
        }
    }

    @Test
    void aFloatOfEightBitsIsReadAsBytes() throws OrtException {
        try (var session = environment.createSession(SmallModels.cast(ElementType.FLOAT8E4M3FN));
                var input = OnnxTensor.createTensor(environment, new float[] {1, 2});
                var result = session.run(Map.of("in0", input))) {
            OnnxTensor output = (OnnxTensor) result.get(0);
            assertThat(output.getByteBuffer()).isEqualTo(ByteBuffer.wrap(new byte[] {0x38, 0x40}));
            assertThat(Failing.codeOf(output::getValue)).isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
        }
    }

    @Test
    void runOptionsTerminate() throws OrtException {
        try (var options = new RunOptions()) {
            options.setTerminate(true);
            Map<String, OnnxTensor> inputs = Map.of("in0", x, "in1", y);
            assertThat(Failing.codeOf(() -> sum.run(inputs, options))).isEqualTo(OrtErrorCode.ORT_FAIL);
            options.setTerminate(false);
            try (var result = sum.run(inputs, options)) {
                assertThat(result.get(0).getValue()).isEqualTo(new float[][] {{11, 22}, {33, 44}});
            }
        }
    }

    @Test
    void runOptionsKeepWhatTheyAreGiven() throws OrtException {
        try (var options = new RunOptions()) {
            assertThat(options.getRunTag()).isEmpty();
            assertThat(options.getLogVerbosityLevel()).isZero();
            options.setRunTag("tag");
            options.setLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR);
            options.setLogVerbosityLevel(3);
            options.addRunConfigEntry("any", "value");
            assertThatThrownBy(() -> options.setLogLevel(null)).isInstanceOf(NullPointerException.class);
            assertThat(options.getRunTag()).isEqualTo("tag");
            assertThat(options.getLogLevel()).isEqualTo(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR);
            assertThat(options.getLogVerbosityLevel()).isEqualTo(3);
            assertThat(Failing.codeOf(() -> options.addRunConfigEntry("", "value")))
                    .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
            assertThat(sum.run(Map.of("in0", x, "in1", y), options).size()).isEqualTo(1);
        }
    }

    @Test
    void runOptionsCloseOnce() throws OrtException {
        var options = new RunOptions();
        options.close();
        assertThatThrownBy(options::close).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(options::getRunTag).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> options.setTerminate(true)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anOutputIsNotPinnedAndRequested() throws OrtException {
        try (OnnxTensor target = target(1, 1)) {
            assertThat(Failing.codeOf(
                            () -> columns.run(Map.of("in0", row), Set.of("out0", "out1"), Map.of("out0", target))))
                    .isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
            assertThat(target.getValue()).isEqualTo(new float[1][1]);
        }
    }

    @Test
    void stringsAreWrittenIntoAPinnedOutput() throws OrtException {
        try (var session = environment.createSession(SmallModels.identity(ElementType.STRING));
                var input = OnnxTensor.createTensor(environment, new String[][] {{"a", "\u00fc"}});
                var target = OnnxTensor.createTensor(environment, new String[][] {{"", "longer"}});
                var column = OnnxTensor.createTensor(environment, new String[][] {{"c"}, {"d"}})) {
            try (var result = session.run(Map.of("in0", input), Map.of("out0", target))) {
                assertThat(result.get(0)).isSameAs(target);
                assertThat(result.isResultOwner(0)).isFalse();
            }
            assertThat(target.getValue()).isEqualTo(new String[][] {{"a", "\u00fc"}});
            assertThat(Failing.codeOf(() -> session.run(Map.of("in0", input), Map.of("out0", column))))
                    .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
            assertThat(Failing.codeOf(() -> session.run(Map.of("in0", input), Map.of("out0", row))))
                    .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
            assertThat(Failing.codeOf(() -> sum.run(Map.of("in0", x, "in1", y), Map.of("out0", target))))
                    .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
        }
    }
}

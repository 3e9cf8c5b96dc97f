package dev.millrace.bench.nets;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import dev.millrace.bench.compare.Answers;
import dev.millrace.bench.compare.Millrace;
import dev.millrace.bench.compare.OnnxRuntime;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.ValueInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Built models load in both engines and mean the same to both. */
@Tag("reference")
class NetsTest {
    @TempDir
    private Path folder;

    private Path write(String name, byte[] model) throws Exception {
        return Files.write(folder.resolve(name), model);
    }

    private static Map<String, Tensor> onnxRuntimeAnswer(Path model, Inputs inputs) throws Exception {
        return onnxRuntimeAnswer(model, inputs, OptLevel.ALL_OPT);
    }

    private static Map<String, Tensor> onnxRuntimeAnswer(Path model, Inputs inputs, OptLevel level) throws Exception {
        try (var onnxRuntime = new OnnxRuntime(model, 1, level)) {
            onnxRuntime.create();
            return onnxRuntime.answer(inputs);
        }
    }

    @ParameterizedTest
    @EnumSource
    void bothEnginesAgreeOnTheNetInFloats(WeightDraw weights) throws Exception {
        Path model = write("net.onnx", MobileNet.floats(weights));
        try (Engine engine = Engine.create();
                var ours = new Millrace(engine, model, SessionOptions.defaults())) {
            ours.create();
            Inputs inputs = new InputMaker(null, Map.of(), 1).make(ours.inputs());
            assertThat(Answers.relativeDiff(ours.answer(inputs), onnxRuntimeAnswer(model, inputs)))
                    .isLessThan(1e-4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theQuantisedNetIsCloseToTheOneInFloatsOnBothSides(WeightDraw weights) throws Exception {
        Path exact = write("net.onnx", MobileNet.floats(weights));
        Path quantised = write("quantised.onnx", MobileNet.quantised(weights));
        try (Engine engine = Engine.create();
                var ours = new Millrace(engine, quantised, SessionOptions.defaults())) {
            ours.create();
            Inputs inputs = new InputMaker(null, Map.of(), 1).make(ours.inputs());
            Map<String, Tensor> reference = onnxRuntimeAnswer(exact, inputs);
            assertThat(Answers.relativeDiff(ours.answer(inputs), reference)).isLessThan(0.15);
            // Without VNNI ONNX Runtime's products of bytes saturate; without optimisations it multiplies floats.
            assertThat(Answers.relativeDiff(onnxRuntimeAnswer(quantised, inputs, OptLevel.NO_OPT), reference))
                    .isLessThan(0.15);
        }
    }

    @Test
    void onnxRuntimeRunsTheDecoderAtBothLevelsAndKeepsItsKeys() throws Exception {
        Path exact = write("decoder.onnx", DecoderNet.bytes(0));
        Path coarse = write("coarse.onnx", DecoderNet.bytes(4));
        List<ValueInfo> declared =
                Models.read(exact).graph().inputs().stream().map(NetsTest::info).toList();
        Inputs inputs = new InputMaker(null, DecoderNet.shapes(5), 1).make(declared);
        Map<String, Tensor> answer = onnxRuntimeAnswer(exact, inputs);
        assertThat(tensor(answer, "present_key.1").shape().dim(2)).isEqualTo(6);
        for (float logit : tensor(answer, "logits").floats()) {
            assertThat(logit).isFinite();
        }
        assertThat(Answers.relativeDiff(onnxRuntimeAnswer(coarse, inputs), answer))
                .isBetween(1e-6, 0.1);
    }

    private static Tensor tensor(Map<String, Tensor> answer, String name) {
        return Objects.requireNonNull(answer.get(name), name);
    }

    private static ValueInfo info(Value input) {
        return new ValueInfo(input.name(), input.type(), false);
    }

    @Test
    void aRangeHoldsZeroAndMapsItToAByte() {
        assertThat(Range.of(new float[] {1, 2})).isEqualTo(new Range(0, 2));
        assertThat(new Range(-1, 3).zeroPoint()).isEqualTo(64);
        assertThat(new Range(0, 0).scale()).isEqualTo(1);
    }
}

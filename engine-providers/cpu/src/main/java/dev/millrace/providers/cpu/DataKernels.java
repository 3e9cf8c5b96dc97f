package dev.millrace.providers.cpu;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.op.OpName;
import dev.millrace.providers.cpu.control.ControlKernels;
import dev.millrace.providers.cpu.image.ImageKernels;
import dev.millrace.providers.cpu.ml.MlKernels;
import dev.millrace.providers.cpu.move.MoveKernels;
import dev.millrace.providers.cpu.random.RandomKernels;
import dev.millrace.providers.cpu.select.SelectKernels;
import dev.millrace.providers.cpu.sequence.SequenceKernels;
import dev.millrace.providers.cpu.signal.SignalKernels;
import dev.millrace.providers.cpu.text.TextKernels;
import dev.millrace.providers.cpu.train.TrainKernels;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels of operators that move, select, hold or control data, and of the smaller domains. */
final class DataKernels {
    private DataKernels() {}

    static @Nullable Kernel create(Node node) {
        return switch (node.op().domain()) {
            case OpId.ONNX -> onnx(node);
            case OpId.ONNX_ML -> MlKernels.create(node);
            case OpId.ONNX_TRAINING -> TrainKernels.create(node);
            default -> null;
        };
    }

    private static @Nullable Kernel onnx(Node node) {
        return switch (node.op().name()) {
            case OpName.IF, "Loop", "Scan" -> ControlKernels.create(node);
            case "SequenceConstruct",
                    "SequenceEmpty",
                    "SequenceAt",
                    "SequenceInsert",
                    "SequenceErase",
                    "SequenceLength",
                    "ConcatFromSequence",
                    "SplitToSequence",
                    "SequenceMap",
                    "Optional",
                    "OptionalHasElement",
                    "OptionalGetElement" -> SequenceKernels.create(node);
            case OpName.RESIZE,
                    OpName.UPSAMPLE,
                    OpName.GRID_SAMPLE,
                    "AffineGrid",
                    "Col2Im",
                    "RoiAlign",
                    "MaxRoiPool",
                    "ImageDecoder" -> ImageKernels.create(node);
            case "RandomNormal",
                    "RandomNormalLike",
                    "RandomUniform",
                    "RandomUniformLike",
                    "Bernoulli",
                    "Multinomial",
                    OpName.DROPOUT -> RandomKernels.create(node);
            case "HannWindow", "HammingWindow", "BlackmanWindow", "MelWeightMatrix", OpName.DFT, "STFT" ->
                SignalKernels.create(node);
            case OpName.TOP_K, OpName.NON_ZERO, OpName.COMPRESS, OpName.UNIQUE, "NonMaxSuppression" ->
                SelectKernels.create(node);
            case "StringConcat", OpName.STRING_NORMALIZER, "StringSplit", "RegexFullMatch", "TfIdfVectorizer" ->
                TextKernels.create(node);
            default -> MoveKernels.create(node);
        };
    }
}

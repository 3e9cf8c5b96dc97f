package dev.millrace.graph.optimise.passes;

import static dev.millrace.graph.optimise.pass.Level.BASIC;
import static dev.millrace.graph.optimise.pass.Level.EXTENDED;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.Trait;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.optimise.pass.Pass;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The passes that every model goes through. */
public final class Passes {
    private static final List<Pass> STANDARD = List.of(
            rule("constant-nodes", BASIC, ConstantNodes::at, OpName.CONSTANT),
            rule("inline-if", BASIC, InlineIf::at, OpName.IF),
            rule("remove-identities", BASIC, RemoveIdentities::at, RemoveIdentities.OPERATORS),
            new Pass.OverGraph("fold-constants", BASIC, FoldConstants::over),
            rule("fold-shapes", BASIC, FoldShapes::at, FoldShapes.OPERATORS),
            rule("constant-reshapes", BASIC, ConstantReshapes::at, OpName.RESHAPE),
            new Pass.OverGraph("dead-code", BASIC, DeadCode::over),
            new Pass.OverGraph("share-constants", BASIC, ShareConstants::over),
            new Pass.OverGraph("common-subexpressions", BASIC, CommonSubexpressions::over),
            rule("remove-unchanged-shapes", BASIC, RemoveUnchangedShapes::at, RemoveUnchangedShapes.OPERATORS),
            rule("remove-neutral-arithmetic", BASIC, RemoveNeutralArithmetic::at, RemoveNeutralArithmetic.OPERATORS),
            rule("merge-reshapes", BASIC, MergeReshapes::at, MergeReshapes.OPERATORS),
            rule("merge-casts", BASIC, MergeCasts::at, OpName.CAST),
            rule("merge-clips", BASIC, MergeClips::at, OpName.CLIP, OpId.RELU.name()),
            rule("merge-transposes", BASIC, MergeTransposes::at, OpName.TRANSPOSE),
            rule("push-transposes", BASIC, PushTransposes::betweenTransposes, OpName.TRANSPOSE),
            rule("push-binary-transposes", BASIC, PushTransposes::outOfOperands, Trait.BINARY),
            rule("push-reduced-transposes", BASIC, ReduceTransposed::at, Trait.REDUCES),
            rule("batchnorm-arithmetic", BASIC, BatchNormArithmetic::at, ConvFusions.ARITHMETIC),
            rule("conv-batchnorm", BASIC, ConvFusions::batchNorm, OpName.BATCH_NORMALIZATION),
            rule("conv-arithmetic", BASIC, ConvFusions::arithmetic, ConvFusions.ARITHMETIC),
            rule("layer-norm", BASIC, LayerNorm::at, OpName.DIV, OpName.MUL),
            rule("rms-norm", BASIC, RmsNorm::at, OpName.DIV, OpName.MUL),
            rule("gelu", BASIC, Gelu::exact, OpName.MUL, OpName.DIV),
            rule("gelu-tanh", BASIC, Gelu::tanh, OpName.MUL, OpName.DIV),
            rule("hard-swish", BASIC, HardSwish::at, OpName.MUL, OpName.DIV),
            rule("swish", BASIC, Swish::at, OpName.MUL),
            rule("softmax-loss", BASIC, SoftmaxLoss::at, OpName.SOFTMAX_CROSS_ENTROPY_LOSS),
            rule("attention", EXTENDED, AttentionPass::at, OpName.MATMUL),
            rule("shared-heads", EXTENDED, SharedHeads::at, OpName.ATTENTION),
            rule("matmul-bias", EXTENDED, MakeLinear::fromAdd, OpName.ADD),
            rule("gemm-linear", EXTENDED, MakeLinear::fromGemm, OpName.GEMM),
            rule("linear-batchnorm", EXTENDED, LinearFusions::batchNorm, OpName.BATCH_NORMALIZATION),
            rule("linear-activation", EXTENDED, LinearFusions::activation, Trait.LINEAR_ACTIVATION));

    private Passes() {}

    /** The standard passes, in the order in which they run. */
    public static List<Pass> standard() {
        return STANDARD;
    }

    private static Pass rule(String name, Level level, Pass.Rule rule, String... operators) {
        return rule(name, level, rule, Set.of(operators));
    }

    private static Pass rule(String name, Level level, Pass.Rule rule, Set<String> operators) {
        return new Pass.AtNode(name, level, operators.stream().map(OpId::onnx).collect(Collectors.toSet()), rule);
    }

    private static Pass rule(String name, Level level, Pass.Rule rule, Trait trait) {
        return new Pass.AtNode(name, level, Set.copyOf(Schemas.with(trait)), rule);
    }
}

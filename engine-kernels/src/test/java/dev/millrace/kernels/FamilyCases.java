package dev.millrace.kernels;

import dev.millrace.kernels.attention.AttentionCase;
import dev.millrace.kernels.attention.LinearAttentionCase;
import dev.millrace.kernels.attention.RotationCase;
import dev.millrace.kernels.axis.SelectCase;
import dev.millrace.kernels.cast.CastCase;
import dev.millrace.kernels.conv.ChannelMoveCase;
import dev.millrace.kernels.conv.ConvCase;
import dev.millrace.kernels.conv.PlaneConvCase;
import dev.millrace.kernels.conv.ReorderCase;
import dev.millrace.kernels.conv.TransposedConvCase;
import dev.millrace.kernels.conv.bytes.QuantisedConvCase;
import dev.millrace.kernels.expression.BroadcastCase;
import dev.millrace.kernels.expression.WideCase;
import dev.millrace.kernels.fft.SpectraCase;
import dev.millrace.kernels.gather.RowsCase;
import dev.millrace.kernels.gemm.GemmCase;
import dev.millrace.kernels.layout.CopyCase;
import dev.millrace.kernels.lowp.QuantisedGemmCase;
import dev.millrace.kernels.lowp.WeightGemmCase;
import dev.millrace.kernels.norm.ChannelNormCase;
import dev.millrace.kernels.norm.RowNormCase;
import dev.millrace.kernels.pool.PlaceCase;
import dev.millrace.kernels.pool.WindowCase;
import dev.millrace.kernels.quantise.QuantisationCase;
import dev.millrace.kernels.recurrent.RecurrentCase;
import dev.millrace.kernels.reduce.ExpressionReductionCase;
import dev.millrace.kernels.reduce.ReductionCase;
import dev.millrace.kernels.resize.ResizeCase;
import dev.millrace.kernels.softmax.SoftmaxCase;
import java.util.List;

/** All families under test. */
final class FamilyCases {
    static final List<FamilyCase> ALL = List.of(
            new ElementwiseCase(),
            new BroadcastCase(),
            new WideCase(),
            new GemmCase(),
            new AttentionCase(),
            new LinearAttentionCase(),
            new QuantisedGemmCase(),
            new QuantisationCase(),
            new WeightGemmCase(false),
            new WeightGemmCase(true),
            new ConvCase(),
            QuantisedConvCase.general(),
            new ReorderCase(),
            new ChannelMoveCase(),
            new RotationCase(),
            new WindowCase(),
            new RecurrentCase(),
            new SoftmaxCase(),
            new RowNormCase(),
            new ChannelNormCase(),
            new RowsCase(),
            new ResizeCase(),
            new SelectCase(),
            new SpectraCase(),
            new CopyCase(),
            new CastCase(),
            new TransposedConvCase(),
            new PlaneConvCase(),
            new PlaceCase(),
            new ReductionCase(),
            new ExpressionReductionCase(),
            QuantisedConvCase.depthwise(),
            QuantisedConvCase.windows());

    private FamilyCases() {}
}

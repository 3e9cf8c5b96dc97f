package dev.millrace.kernels;

import dev.millrace.kernels.attention.FinishRows;
import dev.millrace.kernels.attention.KeyPack;
import dev.millrace.kernels.attention.RowDots;
import dev.millrace.kernels.attention.SoftmaxBlock;
import dev.millrace.kernels.attention.WeightedRows;
import dev.millrace.kernels.conv.ConvTile;
import dev.millrace.kernels.conv.ReorderTile;
import dev.millrace.kernels.conv.WinogradInput;
import dev.millrace.kernels.conv.WinogradOutput;
import dev.millrace.kernels.convert.ConvertFamily;
import dev.millrace.kernels.expression.ElementwiseFamily;
import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.gemm.GemmPack;
import dev.millrace.kernels.gemm.GemmPackTransposed;
import dev.millrace.kernels.gemm.GemmTile;
import dev.millrace.kernels.layout.RunCopy;
import dev.millrace.kernels.layout.RunFill;
import dev.millrace.kernels.layout.SquareTranspose;
import dev.millrace.kernels.norm.ChannelScale;
import dev.millrace.kernels.norm.Moments;
import dev.millrace.kernels.norm.NormRows;
import dev.millrace.kernels.peak.PeakLoop;
import dev.millrace.kernels.quantise.ConvertRows;
import dev.millrace.kernels.quantise.DequantiseRows;
import dev.millrace.kernels.quantise.QuantiseRows;
import dev.millrace.kernels.quantise.RangeOf;
import dev.millrace.kernels.quantised.DecodePanel;
import dev.millrace.kernels.quantised.IntegerTile;
import dev.millrace.kernels.quantised.PackRows;
import dev.millrace.kernels.quantised.SpreadPanel;
import dev.millrace.kernels.quantised.WeightRow;
import dev.millrace.kernels.recurrent.GruStep;
import dev.millrace.kernels.recurrent.LstmStep;
import dev.millrace.kernels.resize.BlendElements;
import dev.millrace.kernels.resize.BlendRows;
import dev.millrace.kernels.rows.ElementGather;
import dev.millrace.kernels.rows.IndexRun;
import dev.millrace.kernels.rows.IndexTable;
import dev.millrace.kernels.rows.RowMove;
import dev.millrace.kernels.select.BestOfColumns;
import dev.millrace.kernels.select.BestOfRow;
import dev.millrace.kernels.select.SortKeys;
import dev.millrace.kernels.select.SumsOfColumns;
import dev.millrace.kernels.select.SumsOfRow;
import dev.millrace.kernels.softmax.SoftmaxColumns;
import dev.millrace.kernels.softmax.SoftmaxRows;
import dev.millrace.kernels.window.WindowTile;
import java.util.List;





/** All families that keys may name. */
final class Families {
    static final List<KernelFamily> ALL = List.of(
            new GemmTile(),
            new GemmPack(),
            new GemmPackTransposed(),
            new ElementwiseFamily(),
            new PeakLoop(),
            new ConvTile(),
            new KeyPack(),
            new RowDots(),
            new WeightedRows(),
            new SoftmaxBlock(),
            new FinishRows(),
            new IntegerTile(),
            new PackRows(),
            new SpreadPanel(),
            new QuantiseRows(),
            new DequantiseRows(),
            new RangeOf(),
            new ConvertRows(),
            new WeightRow(),
            new DecodePanel(),
            new ReorderTile(),
            new WindowTile(),
            new LstmStep(),
            new GruStep(),
            new SoftmaxRows(),
            new SoftmaxColumns(),
            new NormRows(),
            new Moments(),
            new ChannelScale(),
            new WinogradInput(),
            new WinogradOutput(),
            new IndexTable(),
            new IndexRun(),
            new ElementGather(),
            new RowMove(),
            new BlendRows(),
            new BlendElements(),
            new BestOfRow(),
            new BestOfColumns(),
            new SumsOfRow(),
            new SumsOfColumns(),
            new SortKeys(),
            new RunCopy(),
            new RunFill(),
            new SquareTranspose(),
            new ConvertFamily());

    private Families() {}
}

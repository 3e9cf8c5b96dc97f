package dev.millrace.providers.cpu.product;

import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.providers.cpu.quant.Rounding;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** MatMulInteger and QLinearMatMul. Zero points and scales are for all, or by row on the left and column on the right. */
record QuantisedMatMulKernel(boolean scaled) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        int b = scaled ? 3 : 1;
        ElementType leftType = context.inputType(0);
        ElementType rightType = context.inputType(b);
        QuantisationParameter leftZero = QuantisationParameter.of(context, 2);
        QuantisationParameter rightZero = QuantisationParameter.of(context, scaled ? 5 : 3);
        MatrixBatches shape = MatrixBatches.of(context.inputShape(0), context.inputShape(b));
        int rows = shape.rows();
        int columns = shape.columns();
        IntegerProduct.Line left = (launch, batch, row, column, count, to) -> QuantisationParameter.read(
                leftType,
                launch.input(0),
                shape.left((int) batch) + (long) row * shape.depth() + column,
                to,
                0,
                count,
                leftZero.zero(launch, shape.leftRow(batch, row)));
        IntegerProduct.Line right = (launch, batch, row, column, count, to) -> {
            long first = shape.right((int) batch) + (long) row * columns + column;
            int zero = rightZero.single() ? rightZero.zero(launch, 0) : 0;
            QuantisationParameter.read(rightType, launch.input(b), first, to, 0, count, zero);
            for (int i = 0; i < count && !rightZero.single(); i++) {
                to[i] -= rightZero.zero(launch, shape.rightColumn(batch, column + i));
            }
        };
        return new IntegerProduct(
                shape.batches(),
                rows,
                shape.depth(),
                columns,
                left,
                right,
                scaled ? scale(context, shape) : store(shape));
    }

    private static IntegerProduct.Finish store(MatrixBatches shape) {
        return (launch, batch, row, column, count, sums) -> {
            long at = (batch * shape.rows() + row) * shape.columns() + column;
            for (int i = 0; i < count; i++) {
                launch.output(0).set(ByteLayouts.INT, (at + i) * 4, sums[i]);
            }
        };
    }

    private static IntegerProduct.Finish scale(BindContext context, MatrixBatches shape) {
        QuantisationParameter leftScale = QuantisationParameter.of(context, 1);
        QuantisationParameter rightScale = QuantisationParameter.of(context, 4);
        QuantisationParameter outScale = QuantisationParameter.of(context, 6);
        QuantisationParameter outZero = QuantisationParameter.of(context, 7);
        ElementType type = context.outputType(0);
        return (launch, batch, row, column, count, sums) -> {
            long at = (batch * shape.rows() + row) * shape.columns() + column;
            double rowFactor = leftScale.scale(launch, shape.leftRow(batch, row))
                    / outScale.scale(launch, batch * shape.rows() + row);
            int zero = outZero.zero(launch, batch * shape.rows() + row);
            for (int i = 0; i < count; i++) {
                double steps = sums[i] * (rowFactor * rightScale.scale(launch, shape.rightColumn(batch, column + i)));
                Rounding.store(type, launch.output(0), at + i, steps, zero, true);
            }
        };
    }
}

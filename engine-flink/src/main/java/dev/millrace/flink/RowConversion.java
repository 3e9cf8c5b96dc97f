package dev.millrace.flink;

import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.ValueInfo;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;

/**
 * The conversion between rows and the tensors of a model. Columns and tensors belong together by their names; where the model
 * has one input and the table one input column, these belong together by any name, and likewise outputs.
 */
final class RowConversion {
    private final List<TensorColumn> inputs;
    private final List<TensorColumn> outputs;

    private RowConversion(List<TensorColumn> inputs, List<TensorColumn> outputs) {
        this.inputs = inputs;
        this.outputs = outputs;
    }

    /** Returns the conversion for a model; throws a {@link ValidationException} that names the column that does not fit. */
    static RowConversion of(ModelSignature model, RowType input, RowType output) {
        List<TensorColumn> inputs = columns("input", input, model.inputs());
        for (ValueInfo value : model.inputs()) {
            if (!value.optional()
                    && inputs.stream().noneMatch(column -> column.name().equals(value.name()))) {
                throw new ValidationException("no input column '" + value.name() + "' for the model's declaration "
                        + value + "; the columns are " + input.asSummaryString());
            }
        }
        return new RowConversion(inputs, columns("output", output, model.outputs()));
    }

    private static List<TensorColumn> columns(String kind, RowType row, List<ValueInfo> values) {
        boolean isOnly = row.getFieldCount() == 1 && values.size() == 1;
        var columns = new ArrayList<TensorColumn>();
        for (int i = 0; i < row.getFieldCount(); i++) {
            String column = row.getFieldNames().get(i);
            ValueInfo value = values.stream()
                    .filter(each -> isOnly || each.name().equals(column))
                    .findFirst()
                    .orElseThrow(() -> new ValidationException(kind + " column '" + column + "' is no " + kind
                            + " of the model, which declares " + values));
            columns.add(TensorColumn.of(column, row.getTypeAt(i), i, value));
        }
        return columns;
    }

    Inputs inputs(RowData row) {
        Inputs all = Inputs.empty();
        for (TensorColumn column : inputs) {
            all.and(column.name(), column.tensor(row));
        }
        return all;
    }

    /** Returns the names of the outputs that have columns. */
    List<String> outputNames() {
        return outputs.stream().map(TensorColumn::name).toList();
    }

    RowData row(Outputs values) {
        var row = new GenericRowData(outputs.size());
        for (int i = 0; i < outputs.size(); i++) {
            TensorColumn column = outputs.get(i);
            row.setField(i, column.field(values.get(column.name())));
        }
        return row;
    }
}

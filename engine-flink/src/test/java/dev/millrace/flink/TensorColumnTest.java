package dev.millrace.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.ValueInfo;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.types.DataType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TensorColumnTest {
    private static final DataType MATRIX = DataTypes.ARRAY(DataTypes.ARRAY(DataTypes.FLOAT()));

    private static TensorColumn column(DataType type, ValueType model) {
        return TensorColumn.of("c", type.getLogicalType(), 0, new ValueInfo("x", model, false));
    }

    private static GenericArrayData rows(@Nullable Object... rows) {
        return new GenericArrayData(rows);
    }

    private static void refused(TensorColumn column, @Nullable Object value, String message) {
        assertThatThrownBy(() -> column.tensor(GenericRowData.of(value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("column 'c' has ")
                .hasMessageContaining(message);
    }

    @Test
    void aMatrixIsATensorOfThreeAxes() {
        TensorColumn column = column(MATRIX, FlinkModels.rows(ElementType.FLOAT, -1, -1));
        GenericArrayData value =
                rows(new GenericArrayData(new float[] {1, 2}), new GenericArrayData(new float[] {3, 4}));
        Tensor tensor = column.tensor(GenericRowData.of(value));
        assertThat(tensor.shape()).isEqualTo(Shape.of(1, 2, 2));
        assertThat(tensor.floats()).containsExactly(1, 2, 3, 4);
        assertThat(column.field(tensor)).isEqualTo(value);
    }

    @Test
    void anEmptyMatrixHasNoElements() {
        TensorColumn column = column(MATRIX, FlinkModels.rows(ElementType.FLOAT, -1, -1));
        assertThat(column.tensor(GenericRowData.of(rows())).shape()).isEqualTo(Shape.of(1, 0, 0));
    }

    @Test
    void raggedRowsAndNullsInArraysAreRefused() {
        TensorColumn column = column(MATRIX, FlinkModels.rows(ElementType.FLOAT, -1, -1));
        GenericArrayData two = new GenericArrayData(new float[] {1, 2});
        refused(column, rows(two, new GenericArrayData(new float[] {3})), "arrays of 2 and 1 elements side by side");
        refused(column, rows(two, null), "a null");
        refused(column, rows(null, two), "a null");
        refused(column, rows(two, rows(1f, null)), "a null");
        refused(column, null, "a null");
        TensorColumn words = column(DataTypes.ARRAY(DataTypes.STRING()), FlinkModels.rows(ElementType.STRING, -1));
        refused(words, rows(new Object[] {null}), "a null");
    }

    @Test
    void numbersBeyondAnUnsignedTypeAreRefused() {
        refused(column(DataTypes.SMALLINT(), FlinkModels.rows(ElementType.UINT8)), (short) 256, "takes 0 to 255");
        refused(column(DataTypes.INT(), FlinkModels.rows(ElementType.UINT16)), -1, "takes 0 to 65535");
        refused(column(DataTypes.BIGINT(), FlinkModels.rows(ElementType.UINT32)), 1L << 32, "takes 0 to 4294967295");
    }

    @ParameterizedTest
    @EnumSource(names = {"UINT64", "COMPLEX64", "INT4", "BFLOAT16"})
    void typesWithoutOneInSqlAreRefused(ElementType element) {
        assertThatThrownBy(() -> column(DataTypes.BIGINT(), FlinkModels.rows(element)))
                .isInstanceOf(ValidationException.class)
                .hasMessageEndingWith("SQL has no type for its elements");
    }

    @Test
    void aModelWithAFixedNumberOfRowsIsRefused() {
        ValueType eight = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Shape.of(8)));
        assertThatThrownBy(() -> column(DataTypes.FLOAT(), eight))
                .hasMessageEndingWith("a row is one element of an open first axis");
    }

    @Test
    void anOutputOfSeveralRowsForOneIsRefused() {
        TensorColumn column = column(DataTypes.FLOAT(), FlinkModels.rows(ElementType.FLOAT));
        assertThatThrownBy(() -> column.field(Tensor.copyOf(new float[] {1, 2}, 2)))
                .hasMessageContaining("output 'x' has the shape [2] for one row");
    }
}

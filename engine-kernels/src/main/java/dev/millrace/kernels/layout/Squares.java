package dev.millrace.kernels.layout;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The writer of transpositions of squares of elements in registers. Elements of 1 and 2 bytes are either widened to a
 * lane each, or packed: then a lane holds the elements of several rows, and the square is larger by that factor.
 */
final class Squares {
    private final ProgramBuilder builder;
    private final int bytes;
    private final boolean packed;

    Squares(ProgramBuilder builder, int bytes, boolean packed) {
        this.builder = builder;
        this.bytes = bytes;
        this.packed = packed;
    }

    /** The side of a square. */
    static int side(Target target, int bytes, boolean packed) {
        return packed || bytes == Long.BYTES ? target.vectorBytes() / bytes : target.lanes();
    }

    /** The number of lanes that some elements take, if elements are not packed. */
    int lanesOf(int elements) {
        return bytes == Long.BYTES ? 2 * elements : elements;
    }

    private Element element() {
        return bytes == 1 ? Element.U8 : bytes == 2 ? Element.U16 : Element.WORD;
    }

    /**
     * Transposes a square, or the first rows and columns of one, and advances the source pointer by the rows.
     *
     * @param columns the mask of the columns, if there are fewer of them than in a square
     * @param rows the mask of the stores, or null to write whole vectors
     */
    void transpose(
            ScalarVar from,
            ScalarVar rowStride,
            int rowCount,
            @Nullable MaskVar columns,
            ScalarVar to,
            ScalarVar columnStride,
            int columnCount,
            @Nullable MaskVar rows) {
        List<VectorVar> loaded = new ArrayList<>();
        for (int i = 0; i < rowCount; i++) {
            loaded.add(builder.load(element(), Address.at(from, 0), columns));
            builder.advance(from, rowStride);
        }
        int side = side(builder.target(), bytes, false);
        while (loaded.size() < side) {
            loaded.add(loaded.getLast());
        }
        List<VectorVar> turned = bytes == Long.BYTES ? builder.transposePairs(loaded) : builder.transpose(loaded);
        ScalarVar at = builder.copy(to, "at");
        for (int i = 0; i < columnCount; i++) {
            builder.store(element(), Address.at(at, 0), turned.get(i), rows);
            builder.advance(at, columnStride);
        }
    }

    /** Transposes a packed square and advances the source pointer by its rows. */
    void transposePacked(ScalarVar from, ScalarVar rowStride, ScalarVar to, ScalarVar columnStride) {
        if (!packed) {
            throw new IllegalStateException("elements are not packed");
        }
        WordParts parts = new WordParts(builder, bytes);
        int perLane = parts.perWord();
        int lanes = builder.target().lanes();
        for (int place = 0; place < perLane; place++) {
            ScalarVar row = builder.copy(from, "row");
            List<VectorVar> gathered = new ArrayList<>();
            for (int i = 0; i < lanes; i++) {
                gathered.add(rowsOf(parts, row, rowStride, place));
            }
            if (place == perLane - 1) {
                builder.set(from, row);
            }
            ScalarVar column = builder.copy(to, "column");
            advance(column, columnStride, place);
            for (VectorVar turned : builder.transpose(gathered)) {
                builder.store(Address.at(column, 0), turned);
                advance(column, columnStride, perLane);
            }
        }
    }

    private void advance(ScalarVar pointer, ScalarVar stride, int times) {
        for (int i = 0; i < times; i++) {
            builder.advance(pointer, stride);
        }
    }

    /**
     * Returns, in each lane, the elements at position {@code place} of that lane in as many rows as a lane has
     * elements.
     */
    private VectorVar rowsOf(WordParts parts, ScalarVar row, ScalarVar rowStride, int place) {
        List<VectorVar> elements = new ArrayList<>();
        for (int i = 0; i < parts.perWord(); i++) {
            elements.add(parts.moved(builder.load(Address.at(row, 0)), place, i));
            builder.advance(row, rowStride);
        }
        return parts.joined(elements);
    }
}

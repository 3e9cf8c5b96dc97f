package dev.millrace.codegen.program.bytecode;

import static dev.millrace.codegen.program.bytecode.VectorCode.FLOATS;
import static dev.millrace.codegen.program.bytecode.VectorCode.MASK;
import static dev.millrace.codegen.program.bytecode.VectorCode.SPECIES;

import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Variable;
import dev.millrace.codegen.program.VectorVar;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;

/** Writes the method of a piece: shared variables are taken from their places first, and put back in the end. */
final class PieceCode {
    static final ClassDesc VECTORS = ConstantDescs.CD_float.arrayType();
    static final ClassDesc SCALARS = ConstantDescs.CD_long.arrayType();
    static final MethodTypeDesc TYPE = MethodTypeDesc.of(ConstantDescs.CD_void, VECTORS, SCALARS);

    private final CodeBuilder code;
    private final VectorCode vectors;
    private final SharedVariables shared;
    private final int lanes;

    PieceCode(CodeBuilder code, VectorCode vectors, SharedVariables shared, int lanes) {
        this.code = code;
        this.vectors = vectors;
        this.shared = shared;
        this.lanes = lanes;
    }

    static String name(ProgramPart.Piece piece) {
        return "piece" + piece.number();
    }

    void write(ProgramPart.Piece piece, VectorWriter writer) {
        Accesses accesses = Accesses.of(piece.steps());
        List<Variable> common = accesses.all().stream().filter(shared::has).toList();
        common.forEach(this::take);
        writer.all(piece.steps());
        common.stream().filter(accesses::writes).forEach(this::putBack);
        code.return_();
    }

    private void pushVectorPlace(VectorVar variable) {
        code.aload(code.parameterSlot(0)).loadConstant(shared.place(variable) * lanes);
    }

    private void pushScalarPlace(Variable variable) {
        code.aload(code.parameterSlot(1)).loadConstant(shared.place(variable));
    }

    private void take(Variable variable) {
        switch (variable) {
            case VectorVar vector -> {
                vectors.pushSpecies(FLOATS);
                pushVectorPlace(vector);
                vectors.callStatic(FLOATS, "fromArray", FLOATS, SPECIES, VECTORS, ConstantDescs.CD_int);
                vectors.setFloats(vector);
            }
            case ScalarVar scalar -> {
                pushScalarPlace(scalar);
                code.laload();
                vectors.set(scalar);
            }
            case MaskVar mask -> {
                vectors.pushSpecies(FLOATS);
                pushScalarPlace(mask);
                code.laload();
                vectors.callStatic(MASK, "fromLong", MASK, SPECIES, ConstantDescs.CD_long);
                vectors.set(mask);
            }
        }
    }

    private void putBack(Variable variable) {
        switch (variable) {
            case VectorVar vector -> {
                vectors.pushFloats(vector);
                pushVectorPlace(vector);
                vectors.call(FLOATS, "intoArray", ConstantDescs.CD_void, VECTORS, ConstantDescs.CD_int);
            }
            case ScalarVar scalar -> {
                pushScalarPlace(scalar);
                vectors.push(scalar);
                code.lastore();
            }
            case MaskVar mask -> {
                pushScalarPlace(mask);
                vectors.push(mask);
                vectors.call(MASK, "toLong", ConstantDescs.CD_long);
                code.lastore();
            }
        }
    }
}

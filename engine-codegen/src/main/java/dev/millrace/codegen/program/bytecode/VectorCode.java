package dev.millrace.codegen.program.bytecode;

import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Variable;
import dev.millrace.codegen.program.VectorVar;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Writes bytecode that works on variables of a program: what it pushes, calls and stores. All vectors lie in locals as
 * vectors of floats; ints are the same bits.
 */
final class VectorCode {
    static final ClassDesc FLOATS = inApi("FloatVector");
    static final ClassDesc INTS = inApi("IntVector");
    static final ClassDesc VECTOR = inApi("Vector");
    static final ClassDesc MASK = inApi("VectorMask");
    static final ClassDesc SPECIES = inApi("VectorSpecies");
    static final ClassDesc SHUFFLE = inApi("VectorShuffle");
    static final ClassDesc INT_ARRAY = ConstantDescs.CD_int.arrayType();

    private static final ClassDesc OPERATORS = inApi("VectorOperators");
    private static final ClassDesc LANE_MEMORY = desc(LaneMemory.class);
    private static final int NO_SLOT = -1;

    private final CodeBuilder code;
    private final List<Object> classData;
    private final String bits;
    private final int[] slots;

    /** @param classData the constants that the code may ask for, in the order of its class */
    VectorCode(CodeBuilder code, Program program, List<Object> classData) {
        this.code = code;
        this.classData = classData;
        bits = "SPECIES_" + 32 * program.target().lanes();
        slots = new int[program.variables()];
        Arrays.fill(slots, NO_SLOT);
    }

    /** Says that variables are the parameters of the method. */
    void takeParameters(List<ScalarVar> parameters) {
        for (int i = 0; i < parameters.size(); i++) {
            slots[parameters.get(i).id()] = code.parameterSlot(i);
        }
    }

    static ClassDesc inApi(String name) {
        return ClassDesc.of("jdk.incubator.vector", name);
    }

    static ClassDesc desc(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }

    CodeBuilder raw() {
        return code;
    }

    private int slot(Variable variable) {
        int slot = slots[variable.id()];
        if (slot == NO_SLOT) {
            slot = code.allocateLocal(variable instanceof ScalarVar ? TypeKind.LONG : TypeKind.REFERENCE);
            slots[variable.id()] = slot;
        }
        return slot;
    }

    void push(ScalarVar variable) {
        code.lload(slot(variable));
    }

    void push(MaskVar variable) {
        code.aload(slot(variable));
    }

    void pushFloats(ProgramValue value) {
        if (value instanceof VectorVar variable) {
            code.aload(slot(variable));
        } else {
            int constant = ((Constant) value).bits();
            if (Float.isNaN(Float.intBitsToFloat(constant))) {
                pushInts(value);
                asFloats();
            } else {
                pushSpecies(FLOATS);
                code.loadConstant(Float.intBitsToFloat(constant));
                callStatic(FLOATS, "broadcast", FLOATS, SPECIES, ConstantDescs.CD_float);
            }
        }
    }

    void pushInts(ProgramValue value) {
        if (value instanceof VectorVar variable) {
            code.aload(slot(variable));
            call(FLOATS, "reinterpretAsInts", INTS);
        } else {
            pushSpecies(INTS);
            code.loadConstant(((Constant) value).bits());
            broadcastInt();
        }
    }

    /** On the stack: the species of ints, an int. */
    void broadcastInt() {
        callStatic(INTS, "broadcast", INTS, SPECIES, ConstantDescs.CD_int);
    }

    private void asFloats() {
        call(INTS, "reinterpretAsFloats", FLOATS);
    }

    /** The species of a kind of vector with as many bits as those of the program. */
    void pushSpecies(ClassDesc vector) {
        code.getstatic(vector, bits, SPECIES);
    }

    void pushOperator(String name, String kind) {
        code.getstatic(OPERATORS, name, inApi("VectorOperators$".concat(kind)));
    }

    void push(Enum<?> constant) {
        ClassDesc type = desc(constant.getDeclaringClass());
        code.getstatic(type, constant.name(), type);
    }

    /** A constant that the class file cannot hold. */
    void pushData(Object constant, ClassDesc type) {
        classData.add(constant);
        code.loadConstant(DynamicConstantDesc.ofNamed(
                ConstantDescs.BSM_CLASS_DATA_AT, ConstantDescs.DEFAULT_NAME, type, classData.size() - 1));
    }

    void set(ScalarVar variable) {
        code.lstore(slot(variable));
    }

    void set(MaskVar variable) {
        code.astore(slot(variable));
    }

    void setFloats(VectorVar variable) {
        code.astore(slot(variable));
    }

    void setInts(VectorVar variable) {
        asFloats();
        setFloats(variable);
    }

    /** On the stack: lanes as ints, in an array. */
    void setArray(VectorVar variable) {
        int array = code.allocateLocal(TypeKind.REFERENCE);
        code.astore(array);
        pushSpecies(INTS);
        code.aload(array).iconst_0();
        callStatic(INTS, "fromArray", INTS, SPECIES, INT_ARRAY, ConstantDescs.CD_int);
        setInts(variable);
    }

    void call(ClassDesc owner, String name, ClassDesc result, ClassDesc... parameters) {
        code.invokevirtual(owner, name, MethodTypeDesc.of(result, parameters));
    }

    void callStatic(ClassDesc owner, String name, ClassDesc result, ClassDesc... parameters) {
        code.invokestatic(owner, name, MethodTypeDesc.of(result, parameters));
    }

    void callLaneMemory(String name, ClassDesc result, ClassDesc... parameters) {
        callStatic(LANE_MEMORY, name, result, parameters);
    }

    void pushAllMemory() {
        code.getstatic(LANE_MEMORY, "ALL", desc(MemorySegment.class));
    }

    void pushOrder() {
        code.getstatic(LANE_MEMORY, "ORDER", desc(ByteOrder.class));
    }
}

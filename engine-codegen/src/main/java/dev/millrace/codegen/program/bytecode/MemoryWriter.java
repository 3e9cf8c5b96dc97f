package dev.millrace.codegen.program.bytecode;

import static dev.millrace.codegen.program.bytecode.VectorCode.FLOATS;
import static dev.millrace.codegen.program.bytecode.VectorCode.INTS;
import static dev.millrace.codegen.program.bytecode.VectorCode.INT_ARRAY;
import static dev.millrace.codegen.program.bytecode.VectorCode.SPECIES;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.VectorVar;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import jdk.incubator.vector.IntVector;
import org.jspecify.annotations.Nullable;

/** Writes steps that read or write memory. */
abstract class MemoryWriter extends ScalarWriter {
    private static final ClassDesc SEGMENT = VectorCode.desc(MemorySegment.class);
    private static final ClassDesc ORDER = VectorCode.desc(ByteOrder.class);
    private static final ClassDesc ELEMENT = VectorCode.desc(Element.class);
    private static final ClassDesc BYTES = VectorCode.inApi("ByteVector");
    private static final ClassDesc SHORTS = VectorCode.inApi("ShortVector");
    private static final ClassDesc DOUBLES = VectorCode.inApi("DoubleVector");
    private static final ClassDesc CONVERSION = VectorCode.inApi("VectorOperators$Conversion");

    final int lanes;
    private final boolean masksHold;
    private final boolean fewRegisters;
    private boolean loadsMustWait;

    MemoryWriter(VectorCode vectors, VectorMachine machine) {
        super(vectors);
        lanes = machine.target().lanes();
        masksHold = machine.masksHold();
        fewRegisters = machine.fewRegisters();
    }

    @Override
    public void load(Step.Load step) {
        Element element = step.element();
        if (element == Element.WORD && (step.mask() == null || masksHold)) {
            loadWords(step);
        } else if (step.mask() != null) {
            vectors.push(element);
            pushAddress(step.from());
            pushIncluded(step.mask());
            code.loadConstant(lanes);
            vectors.callLaneMemory("read", INT_ARRAY, ELEMENT, CD_long, CD_long, CD_int);
            vectors.setArray(step.to());
        } else if (element.bytes() == 1 && lanes == 4) {
            loadFourBytes(step);
        } else if (element == Element.F64) {
            loadDoubles(step);
        } else {
            ClassDesc narrow = element.bytes() == 1 ? BYTES : SHORTS;
            pushNarrowSpecies(element);
            pushPlace(step.from());
            vectors.callStatic(narrow, "fromMemorySegment", narrow, SPECIES, SEGMENT, CD_long, ORDER);
            boolean signed = element == Element.S8 || element == Element.S16;
            String letter = element.bytes() == 1 ? "B2I" : "S2I";
            convert(signed ? letter : "ZERO_EXTEND_".concat(letter), narrow, INTS);
            vectors.setInts(step.to());
        }
    }

    /** A product was added to a sum: vectors that are read from here on are for the next ones. */
    final void summed() {
        loadsMustWait = fewRegisters;
    }

    /** A compiler that moves all loads of a loop to its start runs out of registers, and then spills the sums. */
    private void keepOrder() {
        if (loadsMustWait) {
            code.invokestatic(VectorCode.desc(VarHandle.class), "loadLoadFence", ConstantDescs.MTD_void);
            loadsMustWait = false;
        }
    }

    private void loadWords(Step.Load step) {
        keepOrder();
        vectors.pushSpecies(FLOATS);
        pushPlace(step.from());
        if (step.mask() == null) {
            vectors.callStatic(FLOATS, "fromMemorySegment", FLOATS, SPECIES, SEGMENT, CD_long, ORDER);
        } else {
            vectors.push(step.mask());
            vectors.callStatic(FLOATS, "fromMemorySegment", FLOATS, SPECIES, SEGMENT, CD_long, ORDER, VectorCode.MASK);
        }
        vectors.setFloats(step.to());
    }

    /** The segment, the offset into it, and the order of bytes. */
    private void pushPlace(Address address) {
        vectors.pushAllMemory();
        pushAddress(address);
        vectors.pushOrder();
    }

    /** There is no vector of four bytes: they are read as an int, and each lane moves its own to the top and back. */
    private void loadFourBytes(Step.Load step) {
        vectors.pushSpecies(INTS);
        readInt(step.from());
        vectors.broadcastInt();
        vectors.pushOperator("LSHL", "Binary");
        boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
        int[] toTop = little ? new int[] {24, 16, 8, 0} : new int[] {0, 8, 16, 24};
        vectors.pushData(IntVector.fromArray(IntVector.SPECIES_128, toTop, 0), INTS);
        vectors.call(INTS, "lanewise", INTS, VectorCode.inApi("VectorOperators$Binary"), VectorCode.VECTOR);
        vectors.pushOperator(step.element() == Element.S8 ? "ASHR" : "LSHR", "Binary");
        code.loadConstant(24);
        vectors.call(INTS, "lanewise", INTS, VectorCode.inApi("VectorOperators$Binary"), CD_int);
        vectors.setInts(step.to());
    }

    /** Each half of the doubles becomes floats in its half of a vector, with zeros in the other one. */
    private void loadDoubles(Step.Load step) {
        pushHalfOfDoubles(step.from(), 0);
        pushHalfOfDoubles(step.from().plus(4 * lanes), -1);
        vectors.call(INTS, "or", INTS, VectorCode.VECTOR);
        vectors.setInts(step.to());
    }

    private void pushHalfOfDoubles(Address from, int part) {
        vectors.pushSpecies(DOUBLES);
        pushPlace(from);
        vectors.callStatic(DOUBLES, "fromMemorySegment", DOUBLES, SPECIES, SEGMENT, CD_long, ORDER);
        convert("D2F", DOUBLES, FLOATS, part);
        vectors.call(FLOATS, "reinterpretAsInts", INTS);
    }

    private void storeDoubles(Step.Store step) {
        for (int part = 0; part < 2; part++) {
            vectors.pushFloats(step.from());
            convert("F2D", FLOATS, DOUBLES, part);
            storeVector(DOUBLES, step.to().plus(4 * lanes * part), null);
        }
    }

    private void pushNarrowSpecies(Element element) {
        ClassDesc narrow = element.bytes() == 1 ? BYTES : SHORTS;
        code.getstatic(narrow, "SPECIES_" + 8 * element.bytes() * lanes, SPECIES);
    }

    /** On the stack: a vector; after it, one of the other kind with as many lanes. */
    final void convert(String conversion, ClassDesc from, ClassDesc to) {
        convert(conversion, from, to, 0);
    }

    private void convert(String conversion, ClassDesc from, ClassDesc to, int part) {
        vectors.pushOperator(conversion, "Conversion");
        vectors.pushSpecies(to);
        convertTo(from, to, part);
    }

    /** On the stack: a vector, the conversion, the species. */
    private void convertTo(ClassDesc from, ClassDesc to, int part) {
        code.loadConstant(part);
        vectors.call(from, "convertShape", VectorCode.VECTOR, CONVERSION, SPECIES, CD_int);
        code.checkcast(to);
    }

    private void pushIncluded(@Nullable MaskVar mask) {
        if (mask == null) {
            code.loadConstant(-1L);
        } else {
            vectors.push(mask);
            vectors.call(VectorCode.MASK, "toLong", CD_long);
        }
    }

    @Override
    public void move(Step.Move step) {
        pushAddress(step.to());
        pushAddress(step.from());
        code.loadConstant(step.bytes());
        vectors.callLaneMemory("move", CD_void, CD_long, CD_long, CD_int);
    }

    @Override
    public void spread(Step.Spread step) {
        vectors.pushSpecies(INTS);
        if (step.element() == Element.WORD) {
            readInt(step.from());
        } else {
            vectors.push(step.element());
            pushAddress(step.from());
            vectors.callLaneMemory("read", CD_int, ELEMENT, CD_long);
        }
        vectors.broadcastInt();
        vectors.setInts(step.to());
    }

    @Override
    public void store(Step.Store step) {
        Element element = step.element();
        if (element == Element.WORD) {
            vectors.pushFloats(step.from());
            storeVector(FLOATS, step.to(), step.mask());
        } else if (step.mask() == null && element == Element.F64) {
            storeDoubles(step);
        } else if (step.mask() == null && element != Element.F16 && element.bytes() * lanes >= 8) {
            ClassDesc narrow = element.bytes() == 1 ? BYTES : SHORTS;
            vectors.pushInts(step.from());
            vectors.pushOperator(element.bytes() == 1 ? "I2B" : "I2S", "Conversion");
            pushNarrowSpecies(element);
            convertTo(INTS, narrow, 0);
            storeVector(narrow, step.to(), null);
        } else {
            vectors.push(element);
            pushAddress(step.to());
            pushIncluded(step.mask());
            storeLanes(step.from());
        }
    }

    @Override
    public void storePart(Step.StorePart step) {
        vectors.push(Element.WORD);
        pushAddress(step.to().plus(-step.first() * Integer.BYTES));
        code.loadConstant((1L << step.lanes()) - 1 << step.first());
        storeLanes(step.from());
    }

    /** On the stack: the type of an element, the address, the lanes as bits. */
    private void storeLanes(VectorVar from) {
        vectors.pushInts(from);
        vectors.call(INTS, "toArray", INT_ARRAY);
        vectors.callLaneMemory("write", CD_void, ELEMENT, CD_long, CD_long, INT_ARRAY);
    }

    /** On the stack: the vector. */
    private void storeVector(ClassDesc kind, Address to, @Nullable MaskVar mask) {
        pushPlace(to);
        if (mask == null) {
            vectors.call(kind, "intoMemorySegment", CD_void, SEGMENT, CD_long, ORDER);
        } else {
            vectors.push(mask);
            vectors.call(kind, "intoMemorySegment", CD_void, SEGMENT, CD_long, ORDER, VectorCode.MASK);
        }
    }

    @Override
    public void gather(Step.Gather step) {
        vectors.push(step.base());
        vectors.pushInts(step.indices());
        vectors.call(INTS, "toArray", INT_ARRAY);
        pushIncluded(step.mask());
        vectors.callLaneMemory("gather", INT_ARRAY, CD_long, INT_ARRAY, CD_long);
        vectors.setArray(step.to());
    }
}

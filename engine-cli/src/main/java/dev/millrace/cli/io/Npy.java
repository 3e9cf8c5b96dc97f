package dev.millrace.cli.io;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** NumPy's file format, for the types that NumPy has: little-endian, C order. */
public final class Npy {
    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final Map<ElementType, String> NAMES = new EnumMap<>(Map.ofEntries(
            Map.entry(ElementType.FLOAT, "<f4"),
            Map.entry(ElementType.DOUBLE, "<f8"),
            Map.entry(ElementType.FLOAT16, "<f2"),
            Map.entry(ElementType.INT8, "|i1"),
            Map.entry(ElementType.INT16, "<i2"),
            Map.entry(ElementType.INT32, "<i4"),
            Map.entry(ElementType.INT64, "<i8"),
            Map.entry(ElementType.UINT8, "|u1"),
            Map.entry(ElementType.UINT16, "<u2"),
            Map.entry(ElementType.UINT32, "<u4"),
            Map.entry(ElementType.UINT64, "<u8"),
            Map.entry(ElementType.BOOL, "|b1"),
            Map.entry(ElementType.COMPLEX64, "<c8"),
            Map.entry(ElementType.COMPLEX128, "<c16")));
    private static final Pattern DESCR = Pattern.compile("'descr'\\s*:\\s*'([^']*)'");
    private static final Pattern ORDER = Pattern.compile("'fortran_order'\\s*:\\s*(True|False)");
    private static final Pattern SHAPE = Pattern.compile("'shape'\\s*:\\s*\\(([^)]*)\\)");

    private Npy() {}

    public static Tensor read(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length < 10 || !Arrays.equals(bytes, 0, 6, MAGIC, 0, 6)) {
            throw EngineException.invalidArgument(file + " is no .npy file");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        boolean isLong = bytes[6] > 1;
        long headerBytes = isLong ? buffer.getInt(8) & 0xffffffffL : buffer.getShort(8) & 0xffff;
        int start = isLong ? 12 : 10;
        if (headerBytes > bytes.length - start) {
            throw EngineException.invalidArgument(file + " is cut off inside its header");
        }
        String header = new String(bytes, start, (int) headerBytes, StandardCharsets.US_ASCII);
        if (find(file, ORDER, header).equals("True")) {
            throw EngineException.invalidArgument(file + " is in Fortran order; save it with numpy.ascontiguousarray");
        }
        ElementType type = type(file, find(file, DESCR, header));
        Shape shape = shape(file, find(file, SHAPE, header));
        long available = bytes.length - start - headerBytes;
        // the elements are counted first: their bytes may be more than a long holds
        if (shape.elements() > available || type.bytes(shape.elements()) > available) {
            throw EngineException.invalidArgument(
                    file + " has " + available + " bytes of data, too few for " + type + shape);
        }
        Tensor tensor = Tensor.allocate(type, shape);
        long dataBytes = tensor.segment().byteSize();
        MemorySegment.copy(MemorySegment.ofArray(bytes), start + headerBytes, tensor.segment(), 0, dataBytes);
        return tensor;
    }

    private static String find(Path file, Pattern pattern, String header) {
        Matcher matcher = pattern.matcher(header);
        if (!matcher.find()) {
            throw EngineException.invalidArgument(file + " has a header that makes no sense: " + header.strip());
        }
        return matcher.group(1);
    }

    private static ElementType type(Path file, String descr) {
        String wanted = descr.startsWith("=") ? "<" + descr.substring(1) : descr;
        for (Map.Entry<ElementType, String> name : NAMES.entrySet()) {
            if (name.getValue().equals(wanted)) {
                return name.getKey();
            }
        }
        throw EngineException.invalidArgument(
                file + " has elements of type '" + descr + "'; what can be read is " + NAMES.values());
    }

    private static Shape shape(Path file, String text) {
        try {
            return Shape.of(Arrays.stream(text.split(","))
                    .map(String::strip)
                    .filter(part -> !part.isEmpty())
                    .mapToLong(Long::parseLong)
                    .toArray());
        } catch (NumberFormatException e) {
            throw EngineException.invalidArgument(file + " has a shape that makes no sense: (" + text + ")");
        } catch (EngineException e) {
            throw e.at(file.toString());
        }
    }

    public static void write(Path file, Tensor tensor) throws IOException {
        String descr = NAMES.get(tensor.type());
        if (descr == null) {
            throw EngineException.invalidArgument("NumPy files cannot hold " + tensor + "; use --format json");
        }
        var dims = new StringBuilder();
        for (long dim : tensor.shape().toArray()) {
            dims.append(dim).append(", ");
        }
        String header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': ("
                + dims.toString().strip() + "), }";
        int padded = (10 + header.length() + 1 + 63) / 64 * 64 - 10;
        header = header + " ".repeat(padded - header.length() - 1) + "\n";
        try (FileChannel out = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer head = ByteBuffer.allocate(10 + padded).order(ByteOrder.LITTLE_ENDIAN);
            head.put(MAGIC).put((byte) 1).put((byte) 0).putShort((short) padded);
            head.put(header.getBytes(StandardCharsets.US_ASCII)).flip();
            writeAll(out, head);
            MemorySegment data = tensor.segment();
            for (long at = 0; at < data.byteSize(); at += 1 << 26) {
                writeAll(
                        out,
                        data.asSlice(at, Math.min(1 << 26, data.byteSize() - at))
                                .asByteBuffer());
            }
        }
    }

    private static void writeAll(FileChannel out, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            out.write(bytes);
        }
    }
}

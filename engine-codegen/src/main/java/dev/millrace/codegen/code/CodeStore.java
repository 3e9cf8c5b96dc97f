package dev.millrace.codegen.code;

import java.io.IOException;
import java.net.URI;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.CodeSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Code that earlier processes on this machine assembled, in a file that the user named: what is in it need not be assembled
 * again. It is a cache and no exchange format: a file that another build wrote, for another processor, by another user, or
 * that others may write, counts as empty, as does one that is damaged. Safe for use by several threads.
 */
public final class CodeStore {
    private static final long MAGIC = 0x4d52_434f_4445_0001L;
    private static final int HEAD_BYTES = Long.BYTES + Long.BYTES;
    /** More takes longer to be read than what a start needs takes to be assembled. */
    private static final int MOST_BYTES = 1 << 22;

    private final Path file;
    private final byte[] identity;
    private final ByteBuffer content;
    /** Where the code of a name begins: its length stands before it. */
    private final Map<String, Integer> places = new HashMap<>();

    private final Map<String, CodeBlock> added = new LinkedHashMap<>();
    private long bytes;

    private CodeStore(Path file, byte[] identity, ByteBuffer content) {
        this.file = file;
        this.identity = identity;
        this.content = content;
        bytes = content.remaining();
        while (content.hasRemaining()) {
            String name = new String(taken(content), StandardCharsets.UTF_8);
            places.put(name, content.position());
            int length = checked(content.getInt(), content);
            content.position(content.position() + length);
        }
    }

    /**
     * Opens a store, and writes what was added when the process ends.
     *
     * @param identity of all that decides what code a name has
     */
    public static CodeStore ofProcess(Path file, String identity) {
        CodeStore store = open(file, identity);
        Runtime.getRuntime().addShutdownHook(new Thread(store::write, "millrace-code-store"));
        return store;
    }

    /** Opens a store; one that is of no use here is empty. */
    public static CodeStore open(Path file, String identity) {
        byte[] wanted = utf8(identity);
        try {
            if (isOwn(file)) {
                return new CodeStore(file, wanted, content(file, wanted));
            }
        } catch (IOException | IllegalArgumentException | BufferUnderflowException _) {
            // as if it were not there
        }
        return new CodeStore(file, wanted, ByteBuffer.allocate(0));
    }

    /**
     * What tells the build apart that some classes are of; null where that cannot be told, since they are in no archive.
     */
    public static @Nullable String build(Class<?>... classes) {
        var text = new StringBuilder();
        for (Class<?> type : classes) {
            CodeSource source = type.getProtectionDomain().getCodeSource();
            try {
                Path archive = Path.of(URI.create(String.valueOf(source == null ? null : source.getLocation())));
                BasicFileAttributes attributes = Files.readAttributes(archive, BasicFileAttributes.class);
                if (!attributes.isRegularFile()) {
                    return null;
                }
                text.append(archive.getFileName()).append(' ');
                text.append(attributes.size()).append(' ');
                text.append(attributes.lastModifiedTime().toMillis()).append('\n');
            } catch (IOException | RuntimeException _) {
                return null;
            }
        }
        return text.toString();
    }

    /** Whether nobody but this user may have written it. */
    private static boolean isOwn(Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return false;
        }
        PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
        return attributes.isRegularFile()
                && attributes.size() <= MOST_BYTES
                && attributes.owner().getName().equals(System.getProperty("user.name"))
                && !attributes.permissions().contains(PosixFilePermission.GROUP_WRITE)
                && !attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE);
    }

    /** All names with their code, once it is certain that they are whole and fit. */
    private static ByteBuffer content(Path file, byte[] identity) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(file));
        boolean isWhole = all.getLong() == MAGIC && all.getLong() == checksum(all);
        boolean fits = isWhole && Arrays.equals(taken(all), identity);
        return fits ? all.slice() : ByteBuffer.allocate(0);
    }

    private static long checksum(ByteBuffer all) {
        var crc = new CRC32();
        crc.update(all.array(), HEAD_BYTES, all.limit() - HEAD_BYTES);
        return crc.getValue();
    }

    private static byte[] taken(ByteBuffer from) {
        byte[] some = new byte[checked(from.getInt(), from)];
        from.get(some);
        return some;
    }

    private static int checked(int length, ByteBuffer from) {
        if (length < 0 || length > from.remaining()) {
            throw new IllegalArgumentException("the store ends before " + length + " bytes");
        }
        return length;
    }

    /** Whether there is code of a name. */
    public synchronized boolean has(String name) {
        return places.containsKey(name);
    }

    /** The code of a name, or null. */
    public synchronized @Nullable CodeBlock find(String name) {
        Integer place = places.get(name);
        if (place == null) {
            return null;
        }
        byte[] code = new byte[content.getInt(place)];
        content.get(place + Integer.BYTES, code);
        return new CodeBlock(name, code);
    }

    /** Remembers code that was assembled. */
    public synchronized void add(CodeBlock block) {
        long more = bytes + utf8(block.name()).length + block.bytes().length + 2L * Integer.BYTES;
        if (more <= MOST_BYTES - HEAD_BYTES - Integer.BYTES - identity.length && !places.containsKey(block.name())) {
            added.put(block.name(), block);
            bytes = more;
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Writes the file anew where there is something that it lacks; whoever reads it sees all of it or none. */
    synchronized void write() {
        if (added.isEmpty()) {
            return;
        }
        try {
            Path folder = file.toAbsolutePath().getParent();
            Path fresh = Files.createTempFile(folder, file.getFileName().toString(), ".new");
            try {
                Files.write(fresh, image());
                Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(fresh);
            }
        } catch (IOException | RuntimeException e) {
            System.getLogger(CodeStore.class.getName())
                    .log(System.Logger.Level.DEBUG, "cannot keep assembled code in " + file, e);
        }
    }

    private byte[] image() {
        ByteBuffer known = content.duplicate().rewind();
        int size = HEAD_BYTES + Integer.BYTES + identity.length + known.remaining();
        for (CodeBlock block : added.values()) {
            size += 2 * Integer.BYTES + utf8(block.name()).length + block.bytes().length;
        }
        ByteBuffer all = ByteBuffer.allocate(size);
        all.putLong(MAGIC).putLong(0).putInt(identity.length).put(identity).put(known);
        for (CodeBlock block : added.values()) {
            byte[] name = utf8(block.name());
            all.putInt(name.length).put(name).putInt(block.bytes().length).put(block.bytes());
        }
        return all.putLong(Long.BYTES, checksum(all)).array();
    }
}

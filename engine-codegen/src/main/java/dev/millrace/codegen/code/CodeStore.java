package dev.millrace.codegen.code;

import dev.millrace.memory.file.OwnFiles;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.CodeSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * A cache of machine code that earlier processes on this machine assembled, in a file that the user named. It is no
 * exchange format: a file of another build or for another processor counts as empty, as does a damaged one. A file that
 * another user may have written or may replace is refused with a warning, and nothing is kept. Thread-safe.
 */
public final class CodeStore {
    private static final long MAGIC = 0x4d52_434f_4445_0001L;
    private static final int HEAD_BYTES = Long.BYTES + Long.BYTES;
    /** The largest size of a file. Reading more takes longer than assembling the code that a start needs. */
    private static final int MOST_BYTES = 1 << 22;

    private static final int MOST_OF_BUILD = 1 << 10;

    private final Path file;
    private final byte[] identity;
    private final ByteBuffer content;
    private final @Nullable String refusal;
    /** The positions of the lengths of code blocks by name; the code follows its length. */
    private final Map<String, Integer> places = new HashMap<>();

    private final Map<String, RelocatableCode> added = new LinkedHashMap<>();
    private long bytes;

    private CodeStore(Path file, byte[] identity, ByteBuffer content, @Nullable String refusal) {
        this.file = file;
        this.identity = identity;
        this.content = content;
        this.refusal = refusal;
        bytes = content.remaining();
        while (content.hasRemaining()) {
            String name = new String(taken(content), StandardCharsets.UTF_8);
            places.put(name, content.position());
            int length = checked(content.getInt(), content);
            content.position(content.position() + length);
        }
    }

    /**
     * Opens a store, and writes the added code when the process ends.
     *
     * @param identity identifies everything that determines the code of a name
     */
    public static CodeStore ofProcess(Path file, String identity) {
        CodeStore store = open(file, identity);
        if (store.refusal != null) {
            System.getLogger(CodeStore.class.getName())
                    .log(System.Logger.Level.WARNING, "kept code is not used: " + store.refusal);
        }
        Thread writing = new Thread(store::write, "millrace-code-store");
        // a hook is kept until the process ends, and the application's class loader must not be kept with it
        writing.setContextClassLoader(null);
        Runtime.getRuntime().addShutdownHook(writing);
        return store;
    }

    /** Opens a store; one that cannot be used here is empty. */
    public static CodeStore open(Path file, String identity) {
        byte[] wanted = utf8(identity);
        String refusal = null;
        try {
            if (OwnFiles.areTold(file)) {
                return new CodeStore(file, wanted, content(file, wanted), null);
            }
        } catch (NoSuchFileException _) {
            // the file does not exist yet
        } catch (FileSystemException e) {
            refusal = e.getMessage();
        } catch (IOException | IllegalArgumentException | BufferUnderflowException _) {
            // a damaged file counts as missing
        }
        return new CodeStore(file, wanted, ByteBuffer.allocate(0), refusal);
    }

    /** The reason why the file was refused, or null. */
    @Nullable
    String refusal() {
        return refusal;
    }

    /**
     * Returns the build digests of some classes, from {@code META-INF/<package>.build} in the archive of each. Null
     * where one is missing or may be out of date: classes in folders are compiled one by one.
     */
    public static @Nullable String build(Class<?>... classes) {
        var text = new StringBuilder();
        for (Class<?> type : classes) {
            CodeSource source = type.getProtectionDomain().getCodeSource();
            try (ZipFile archive =
                    new ZipFile(new File(URI.create(String.valueOf(source == null ? null : source.getLocation()))))) {
                ZipEntry digest = archive.getEntry("META-INF/" + type.getPackageName() + ".build");
                if (digest == null) {
                    return null;
                }
                try (InputStream in = archive.getInputStream(digest)) {
                    text.append(new String(in.readNBytes(MOST_OF_BUILD), StandardCharsets.US_ASCII));
                    text.append('\n');
                }
            } catch (IOException | RuntimeException _) {
                // the location is a folder, or unknown
                return null;
            }
        }
        return text.toString();
    }

    /** Reads all names with their code, if the file is complete and has this identity; empty otherwise. */
    private static ByteBuffer content(Path file, byte[] identity) throws IOException {
        ByteBuffer all = read(file);
        boolean isWhole = all.getLong() == MAGIC && all.getLong() == checksum(all);
        boolean fits = isWhole && Arrays.equals(taken(all), identity);
        return fits ? all.slice() : ByteBuffer.allocate(0);
    }

    private static ByteBuffer read(Path file) throws IOException {
        try (FileChannel channel = OwnFiles.open(file)) {
            ByteBuffer all = ByteBuffer.allocate((int) Math.min(channel.size(), MOST_BYTES + 1));
            while (all.hasRemaining() && channel.read(all) >= 0) {
                // read until the buffer is full or the file ends
            }
            if (all.position() > MOST_BYTES) {
                throw new IllegalArgumentException("a store has at most " + MOST_BYTES + " bytes");
            }
            return all.flip();
        }
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

    /** Whether the store has code for a name. */
    public synchronized boolean has(String name) {
        return places.containsKey(name);
    }

    /** Returns the code of a name, or null. */
    public synchronized @Nullable RelocatableCode find(String name) {
        Integer place = places.get(name);
        if (place == null) {
            return null;
        }
        byte[] code = new byte[content.getInt(place)];
        content.get(place + Integer.BYTES, code);
        return new RelocatableCode(name, code);
    }

    /** Adds code that was assembled, unless the store is full. */
    public synchronized void add(RelocatableCode block) {
        long more = bytes + utf8(block.name()).length + block.bytes().length + 2L * Integer.BYTES;
        if (more <= MOST_BYTES - HEAD_BYTES - Integer.BYTES - identity.length && !places.containsKey(block.name())) {
            added.put(block.name(), block);
            bytes = more;
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Rewrites the file atomically if code was added, so that readers see all of it or none. */
    synchronized void write() {
        if (added.isEmpty()) {
            return;
        }
        try {
            if (!OwnFiles.areTold(file)) {
                return;
            }
            OwnFiles.checkWay(file);
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
        for (RelocatableCode block : added.values()) {
            size += 2 * Integer.BYTES + utf8(block.name()).length + block.bytes().length;
        }
        ByteBuffer all = ByteBuffer.allocate(size);
        all.putLong(MAGIC).putLong(0).putInt(identity.length).put(identity).put(known);
        for (RelocatableCode block : added.values()) {
            byte[] name = utf8(block.name());
            all.putInt(name.length).put(name).putInt(block.bytes().length).put(block.bytes());
        }
        return all.putLong(Long.BYTES, checksum(all)).array();
    }
}

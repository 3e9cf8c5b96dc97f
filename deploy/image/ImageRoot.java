import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Makes the file system of an image without a base: a Java runtime with the modules that the server needs, the C library that
 * the runtime needs, a user, and folders for models and temporary files.
 */
final class ImageRoot {
    /** The modules of the server's libraries; java.net.http sends traces. */
    private static final String MODULES =
            "java.base,java.logging,java.management,java.naming,java.net.http,java.xml,jdk.jfr,jdk.management,jdk.unsupported";

    private static final Pattern LIBRARY = Pattern.compile("(/\\S+) \\(0x");

    private final Path root;

    private ImageRoot(Path root) {
        this.root = root;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        new ImageRoot(Path.of(arguments[1])).make(Path.of(arguments[0]));
    }

    private void make(Path options) throws IOException, InterruptedException {
        delete(root);
        // of this module, which has no classes; the image's builder looks for them
        Files.createDirectories(root.resolveSibling("classes"));
        Path java = root.resolve("opt/java");
        Files.createDirectories(java.getParent());
        ToolProvider jlink = ToolProvider.findFirst("jlink").orElseThrow();
        int code = jlink.run(
                System.out,
                System.err,
                "--add-modules",
                MODULES,
                "--strip-debug",
                "--no-header-files",
                "--no-man-pages",
                "--output",
                java.toString());
        if (code != 0) {
            throw new IOException("jlink ended with " + code);
        }
        for (Path library : libraries(java)) {
            Path copy = root.resolve(Path.of("/").relativize(library));
            Files.createDirectories(copy.getParent());
            Files.copy(library.toRealPath(), copy, StandardCopyOption.REPLACE_EXISTING);
        }
        for (String folder : List.of("tmp", "models", "app", "etc")) {
            Files.createDirectories(root.resolve(folder));
        }
        Files.copy(options, root.resolve("app/java.options"));
        Files.writeString(
                root.resolve("etc/passwd"),
                "root:x:0:0::/:/\nmillrace:x:10001:10001::/:/\n",
                StandardCharsets.US_ASCII);
        Files.writeString(root.resolve("etc/group"), "root:x:0:\nmillrace:x:10001:\n", StandardCharsets.US_ASCII);
        Files.writeString(root.resolve("etc/nsswitch.conf"), "hosts: files dns\n", StandardCharsets.US_ASCII);
    }

    /** Returns the libraries of the system that a runtime needs. */
    private static Set<Path> libraries(Path java) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add("ldd");
        try (Stream<Path> files = Files.walk(java)) {
            files.filter(each -> each.endsWith("bin/java") || each.toString().endsWith(".so"))
                    .forEach(each -> command.add(each.toString()));
        }
        Process ldd = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(ldd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        ldd.waitFor();
        var libraries = new TreeSet<Path>();
        Matcher found = LIBRARY.matcher(output);
        while (found.find()) {
            Path library = Path.of(found.group(1)).normalize();
            if (!library.startsWith(java.toAbsolutePath())) {
                libraries.add(library);
            }
        }
        return libraries;
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}

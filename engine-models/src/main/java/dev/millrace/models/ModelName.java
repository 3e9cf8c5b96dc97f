package dev.millrace.models;

import dev.millrace.graph.EngineException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of a model: a source, the file that is opened, and further files that are fetched with it.
 *
 * @param source the source: {@code hf:ORG/NAME@REVISION}, {@code mvn:GROUP:ARTIFACT:VERSION}, {@code npm:NAME@VERSION},
 *     {@code https:} with the address of a folder, {@code file:} with the path of a folder, or {@code s3://BUCKET} with
 *     the prefix of a folder
 * @param files the files, the model first; empty for a whole folder of a hub or an object store
 */
public record ModelName(String source, List<NamedFile> files) {
    static final String HUB = "hf:";
    static final String MAVEN = "mvn:";
    static final String NPM = "npm:";
    static final String HTTPS = "https:";
    static final String HTTP = "http:";
    static final String FILE = "file:";

    private static final List<String> SCHEMES = List.of(HUB, MAVEN, NPM, HTTPS, HTTP, FILE, ObjectStores.S3 + "://");
    private static final String VERSION = "?versionId=";
    private static final String DIGEST = "#sha256=";
    private static final Pattern SHA_256 = Pattern.compile("[0-9a-f]{64}");

    /**
     * A file of a source.
     *
     * @param path its path below the source, with slashes
     * @param version its version in an object store; null for the latest one
     * @param sha256 the digest of its content in hex; null if any content will do
     */
    public record NamedFile(
            String path, @Nullable String version, @Nullable String sha256) {
        public NamedFile(String path, @Nullable String sha256) {
            this(path, null, sha256);
        }

        public NamedFile {
            RelativePath.check(path);
            if (sha256 != null) {
                sha256 = sha256.toLowerCase(Locale.ROOT);
                if (!SHA_256.matcher(sha256).matches()) {
                    throw EngineException.invalidArgument(
                            "'" + sha256 + "' is no SHA-256 digest, which has 64 hexadecimal digits");
                }
            }
        }
    }

    public ModelName {
        files = List.copyOf(files);
        if (!isName(source)) {
            throw EngineException.invalidArgument(
                    "'" + source + "' names no source of models; names begin with one of " + SCHEMES);
        }
    }

    /** Whether a text is a name of this kind, rather than a path. */
    public static boolean isName(String text) {
        return SCHEMES.stream().anyMatch(text::startsWith) || ObjectStores.isName(text);
    }

    /** Whether a text is the name of an object, or of a folder, in an object store. */
    public static boolean isInStore(String text) {
        return ObjectStores.isName(text);
    }

    /** Returns the name of a file of a source. */
    public static ModelName of(String source, String file, @Nullable String sha256) {
        return new ModelName(source, List.of(new NamedFile(file, sha256)));
    }

    /** Returns a name that has a further file, such as external data or a tokenizer. */
    public ModelName and(String file, @Nullable String sha256) {
        var all = new ArrayList<>(files);
        all.add(new NamedFile(file, sha256));
        return new ModelName(source, all);
    }

    /**
     * Reads a name from one text: the source, a slash and the path of the file, and {@code #sha256=DIGEST} if the content
     * is known. A name of a hub may end behind the revision, and means a whole folder then. A name in an object store that
     * ends with a slash means a whole folder, too, and that of an object may end with {@code ?versionId=VERSION}.
     */
    public static ModelName parse(String text) {
        int at = text.indexOf(DIGEST);
        String sha256 = at < 0 ? null : text.substring(at + DIGEST.length());
        String name = at < 0 ? text : text.substring(0, at);
        if (ObjectStores.isName(name)) {
            return inStore(name, sha256);
        }
        if (name.startsWith(FILE) && name.indexOf('/') < 0) {
            return of(FILE + ".", name.substring(FILE.length()), sha256);
        }
        int end = endOfSource(name);
        if (end == name.length() && name.startsWith(HUB) && sha256 == null) {
            return new ModelName(name, List.of());
        }
        if (end >= name.length() - 1) {
            throw EngineException.invalidArgument("'" + text + "' names no file; append /PATH");
        }
        return of(name.substring(0, end), name.substring(end + 1), sha256);
    }

    private static ModelName inStore(String name, @Nullable String sha256) {
        int at = name.indexOf(VERSION);
        String plain = at < 0 ? name : name.substring(0, at);
        int slash = plain.indexOf('/', plain.indexOf("://") + 3);
        if (slash < 0 || plain.endsWith("/")) {
            if (at >= 0 || sha256 != null) {
                throw EngineException.invalidArgument("'" + name + "' is a folder, which has no version and no digest");
            }
            return new ModelName(plain.replaceAll("/+$", ""), List.of());
        }
        String version = at < 0 ? null : name.substring(at + VERSION.length());
        return new ModelName(
                plain.substring(0, slash), List.of(new NamedFile(plain.substring(slash + 1), version, sha256)));
    }

    /** Returns the place of the slash that ends the source, or the length of a name that is only a source. */
    private static int endOfSource(String name) {
        int from;
        if (name.startsWith(HUB)) {
            from = name.indexOf('/') + 1;
        } else if (name.startsWith(NPM)) {
            // the scope of a package begins with the same sign as the version
            from = name.indexOf('@', NPM.length() + 1);
        } else if (name.startsWith(MAVEN)) {
            from = 0;
        } else {
            from = name.lastIndexOf('/');
        }
        int slash = name.indexOf('/', Math.max(0, from));
        return slash < 0 ? name.length() : slash;
    }

    /** Returns the source, and the path and the digest of the first file, as {@link #parse} reads it. */
    @Override
    public String toString() {
        if (files.isEmpty()) {
            return source;
        }
        NamedFile first = files.getFirst();
        return source + "/" + first.path + (first.version == null ? "" : VERSION + first.version)
                + (first.sha256 == null ? "" : DIGEST + first.sha256);
    }
}

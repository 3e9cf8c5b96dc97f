package dev.millrace.models;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.ModelName.NamedFile;
import dev.millrace.models.http.HttpFetcher;
import dev.millrace.models.http.HttpReply;
import dev.millrace.models.http.PartialFile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A repository of a hub at one revision. All files come from the commit that the first one was found in. Not thread-safe;
 * any number of these may share a cache.
 */
final class HubSource {
    private static final System.Logger LOG = System.getLogger(HubSource.class.getName());
    private static final Pattern NAME = Pattern.compile("hf:([\\w.-]+/[\\w.-]+)(?:@([\\w./-]+))?");
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;

    private final String repository;
    private final FetchOptions options;
    private final HttpFetcher http;
    private final HubCache cache;
    private String revision;

    HubSource(String source, FetchOptions options, HttpFetcher http) {
        Matcher name = NAME.matcher(source);
        if (!name.matches() || source.contains("..")) {
            throw EngineException.invalidArgument(
                    "'" + source + "' names no repository of a hub; names are hf:ORG/NAME or hf:ORG/NAME@REVISION");
        }
        repository = name.group(1);
        revision = RelativePath.check(Objects.requireNonNullElse(name.group(2), "main"));
        this.options = options;
        this.http = http;
        cache = new HubCache(options.hubCache(), repository);
    }

    /** Returns the folder of the commit that files were found in. */
    Path folder() {
        return cache.snapshot(revision);
    }

    /** Returns a file, which is fetched if it is not there. */
    Path fetch(NamedFile file) {
        Path found = find(file);
        if (found == null) {
            throw new EngineException(
                    Status.NO_SUCH_FILE,
                    options.offline()
                            ? name(file) + " was not fetched before, and the option offline forbids to fetch it now"
                            : name(file) + ": the repository has no such file at this revision");
        }
        return found;
    }

    /** Returns a file, which is fetched if it is not there; null if the repository has none. */
    @Nullable
    Path find(NamedFile file) {
        try {
            String commit = cache.commit(revision);
            if (commit != null && (options.offline() || HubCache.isCommit(revision))) {
                Path kept = kept(commit, file);
                if (kept != null || options.offline() || cache.isAbsent(commit, file.path())) {
                    return kept;
                }
            }
            return options.offline() ? null : online(file, commit);
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, name(file) + " cannot be fetched: " + e, e);
        }
    }

    private String name(NamedFile file) {
        return "hf:" + repository + "@" + revision + "/" + file.path();
    }

    /** Returns a file of the cache, after a check of its digest unless its own name says it; null if it is not there. */
    private @Nullable Path kept(String commit, NamedFile wanted) throws IOException {
        Path file = cache.file(commit, wanted.path());
        if (!Files.isRegularFile(file)) {
            return null;
        }
        revision = commit;
        String sha256 = wanted.sha256();
        if (sha256 != null && !file.toRealPath().endsWith(sha256)) {
            FileDigest.check(file, name(wanted), sha256);
        }
        return file;
    }

    /** @param before the commit that the revision led to before; null if it was never asked for */
    private @Nullable Path online(NamedFile file, @Nullable String before) throws IOException {
        HttpReply reply;
        try {
            reply = http.head(address(revision, file.path()), options.token(), HubFile::isToldBy);
        } catch (IOException e) {
            return unreachable(file, before, e);
        }
        if (isAbsent(reply)) {
            String commit = reply.header("X-Repo-Commit");
            if (commit != null && HubCache.isCommit(commit)) {
                cache.keepCommit(revision, commit);
                cache.keepAbsence(commit, file.path());
                revision = commit;
            }
            return null;
        }
        requireAnswer(reply, file);
        HubFile facts = HubFile.of(reply, name(file));
        String sha256 = file.sha256();
        String tagged = facts.sha256();
        if (sha256 != null && tagged != null && !sha256.equals(tagged)) {
            throw new EngineException(
                    Status.FAIL,
                    name(file) + " has another content than expected: its SHA-256 is " + tagged + ", and " + sha256
                            + " is wanted");
        }
        cache.keepCommit(revision, facts.commit());
        revision = facts.commit();
        try (var _ = FetchLock.of(cache.lock(facts.tag()))) {
            if (!Files.isRegularFile(cache.blob(facts.tag()))) {
                download(file, facts);
            }
        }
        cache.show(facts.tag(), revision, file.path());
        return kept(revision, file);
    }

    /** Returns what the cache knows of a file while the hub does not answer. */
    private @Nullable Path unreachable(NamedFile file, @Nullable String before, IOException failure)
            throws IOException {
        Path kept = before == null ? null : kept(before, file);
        if (before == null || (kept == null && !cache.isAbsent(before, file.path()))) {
            throw failure;
        }
        LOG.log(System.Logger.Level.WARNING, "{0} is used as it was found before: {1}", name(file), failure);
        revision = before;
        return kept;
    }

    private URI address(String at, String path) {
        return URI.create(options.endpoint() + "/" + repository + "/resolve/" + RelativePath.encodedPart(at) + "/"
                + RelativePath.encoded(path));
    }

    private void download(NamedFile file, HubFile facts) throws IOException {
        Path partial = cache.partial(facts.tag());
        Files.createDirectories(Objects.requireNonNull(partial.getParent()));
        var content = new PartialFile(
                partial,
                facts.size(),
                options.largestFile(),
                (bytes, total) -> options.listener().onProgress(new FetchProgress(file.path(), bytes, total)));
        if (!content.isComplete()) {
            requireAnswer(http.download(address(facts.commit(), file.path()), options.token(), content), file);
        }
        check(partial, file, facts);
        Files.move(partial, cache.blob(facts.tag()), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Checks what has arrived; what is wrong is deleted, so that the next attempt begins anew. */
    private void check(Path partial, NamedFile file, HubFile facts) throws IOException {
        try {
            FileDigest.refusePointer(partial, name(file));
            String sha256 = facts.sha256() == null ? file.sha256() : facts.sha256();
            if (sha256 != null) {
                FileDigest.check(partial, name(file), sha256);
            }
            if (facts.isGitBlob() && !FileDigest.gitBlob(partial).equals(facts.tag())) {
                throw new EngineException(
                        Status.FAIL, name(file) + " did not arrive as it was sent: its digest is not " + facts.tag());
            }
        } catch (EngineException e) {
            Files.deleteIfExists(partial);
            throw e;
        }
    }

    /** Whether the repository and the revision exist, and have no such file. */
    private static boolean isAbsent(HttpReply reply) {
        String code = reply.header("X-Error-Code");
        return reply.status() == NOT_FOUND && (code == null || code.equals("EntryNotFound"));
    }

    private void requireAnswer(HttpReply reply, NamedFile file) {
        if (reply.isSuccess() || (reply.status() / 100 == 3 && HubFile.isToldBy(reply))) {
            return;
        }
        String said = reply.header("X-Error-Message");
        String more = said == null ? "" : " (" + said + ")";
        String where = name(file) + ": ";
        throw switch (reply.status()) {
            case UNAUTHORIZED ->
                new EngineException(
                        Status.FAIL,
                        where + "the hub asks for a token, or has no such repository; set HF_TOKEN if it is private"
                                + more);
            case FORBIDDEN ->
                new EngineException(
                        Status.FAIL,
                        where + "the token, or its absence, does not allow to read this repository" + more);
            case NOT_FOUND ->
                new EngineException(
                        Status.NO_SUCH_FILE, where + "the hub has no such repository, revision or file" + more);
            default ->
                new EngineException(
                        reply.isBusy() ? Status.OVERLOADED : Status.FAIL,
                        where + reply.uri().getHost() + " answers with status " + reply.status() + retry(reply) + more);
        };
    }

    private static String retry(HttpReply reply) {
        return reply.retryAfter()
                .map(time -> "; try again in " + time.toSeconds() + " seconds")
                .orElse("");
    }
}

package dev.millrace.memory.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class OwnFilesTest {
    private static final int SOMEBODY = 65_534;

    @TempDir
    private Path folder;

    private Path file = Path.of("");

    @BeforeEach
    void write() throws IOException {
        assumeTrue(OwnFiles.areTold(folder), "this file system does not tell who may write a file");
        folder = folder.toRealPath();
        file = written(folder.resolve("mine"));
    }

    private static Path written(Path path) throws IOException {
        return Files.writeString(path, "mine");
    }

    private static void mode(Path path, int mode) throws IOException {
        Files.setAttribute(path, "unix:mode", mode);
    }

    private static void giveAway(Path path) throws IOException {
        try {
            Files.setAttribute(path, "unix:uid", SOMEBODY, LinkOption.NOFOLLOW_LINKS);
        } catch (FileSystemException e) {
            Assumptions.abort("only root gives files to another user: " + e);
        }
    }

    private static String read(Path path) throws IOException {
        try (FileChannel channel = OwnFiles.open(path)) {
            var bytes = ByteBuffer.allocate((int) channel.size());
            channel.read(bytes);
            return new String(bytes.array(), StandardCharsets.UTF_8);
        }
    }

    private static void assertRefused(Path path, String why) {
        assertThatThrownBy(() -> OwnFiles.open(path).close())
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aFileOfOnesOwnIsOpened() throws IOException {
        assertThat(read(file)).isEqualTo("mine");
        mode(file, 0644);
        assertThat(read(file)).isEqualTo("mine");
    }

    @Test
    void aFileThatOthersMayWriteIsRefused() throws IOException {
        mode(file, 0602);
        assertRefused(file, "others may write it");
    }

    @Test
    void aFileOfAnotherUserIsRefused() throws IOException {
        giveAway(file);
        assertRefused(file, "belongs to another user");
    }

    @Test
    void aLinkIsRefusedWhateverItLeadsTo() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        assertRefused(link, "symbolic link");
    }

    @Test
    void aFileWithASecondNameIsRefused() throws IOException {
        Files.createLink(folder.resolve("second"), file);
        assertRefused(file, "more than one name");
    }

    @Test
    void whatIsNoFileOfBytesIsRefused() {
        assertRefused(folder, "no regular file");
        assertRefused(Path.of("/dev/zero"), "no regular file");
    }

    /** To open a FIFO for reading waits for a writer, which is never there. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aFifoIsRefusedAndNotWaitedFor() throws IOException, InterruptedException {
        Path pipe = folder.resolve("pipe");
        makeFifo(pipe);
        assertRefused(pipe, "no regular file");
        assertThatThrownBy(() -> OwnFiles.isFile(pipe)).hasMessageContaining("no regular file");
        OwnFiles.create(pipe, StandardOpenOption.CREATE).close();
    }

    /** Others who may write the folder could exchange a file for a FIFO after it was checked. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void inAFolderThatOthersMayWriteNothingIsOpened() throws IOException, InterruptedException {
        Path open = Files.createDirectory(folder.resolve("open"));
        mode(open, 0777);
        assertRefused(written(open.resolve("mine")), open + ": others may write this folder");
        Path pipe = open.resolve("pipe");
        makeFifo(pipe);
        assertRefused(pipe, open + ": others may write this folder");
    }

    private static void makeFifo(Path path) throws InterruptedException {
        try {
            assertThat(new ProcessBuilder("mkfifo", path.toString())
                            .inheritIO()
                            .start()
                            .waitFor())
                    .isZero();
        } catch (IOException e) {
            Assumptions.abort("there is no mkfifo: " + e);
        }
    }

    @Test
    void aFolderIsLookedAtAsTheOneThatItsWayLeadsTo() throws IOException {
        Path own = Files.createDirectory(folder.resolve("own"));
        Path root = Files.createSymbolicLink(folder.resolve("root"), Path.of("/"));
        OwnFiles.checkFolder(root);
        OwnFiles.checkFolder(root.resolve(Path.of("/").relativize(own)));
        Path here = Files.createSymbolicLink(folder.resolve("here"), Path.of("."));
        OwnFiles.checkFolder(here.resolve("own"));
        OwnFiles.checkFolder(own.resolve("../own"));
        mode(own, 0777);
        assertThatThrownBy(() -> OwnFiles.checkFolder(here.resolve("own"))).hasMessageContaining(own + ": others may");
        assertThatThrownBy(() -> OwnFiles.checkInner(folder.resolve("none"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void aMissingFileIsMissing() {
        assertThatThrownBy(() -> OwnFiles.open(folder.resolve("none")).close()).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> OwnFiles.open(folder.resolve("none/none")).close())
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void aFolderThatOthersMayWriteIsNoWay() throws IOException {
        Path open = Files.createDirectory(folder.resolve("open"));
        Path below = Files.createDirectory(open.resolve("below"));
        Path deep = written(below.resolve("mine"));
        assertThat(read(deep)).isEqualTo("mine");
        mode(open, 0777);
        assertRefused(deep, open + ": others may write this folder");
        assertRefused(written(open.resolve("mine")), open + ": others may write this folder");
        assertThatThrownBy(() -> OwnFiles.checkWay(open.resolve("none"))).isInstanceOf(FileSystemException.class);
        mode(open, 0775);
        assertRefused(deep, open + ": others may write this folder");
    }

    @Test
    void inAFolderWhereOthersOnlyAddOnesOwnFileIsOpened() throws IOException {
        Path shared = Files.createDirectory(folder.resolve("shared"));
        mode(shared, 01777);
        Path mine = written(shared.resolve("mine"));
        assertThat(read(mine)).isEqualTo("mine");
        Path theirs = Files.createSymbolicLink(shared.resolve("link"), mine);
        assertRefused(theirs, "symbolic link");
        giveAway(theirs);
        assertRefused(theirs, "symbolic link");
        giveAway(mine);
        assertRefused(mine, "belongs to another user");
    }

    @Test
    void aFolderOrLinkOfAnotherUserIsNoWay() throws IOException {
        Path real = Files.createDirectory(folder.resolve("real"));
        written(real.resolve("mine"));
        Path link = Files.createSymbolicLink(folder.resolve("way"), Path.of("../" + folder.getFileName() + "/real"));
        assertThat(read(link.resolve("mine"))).isEqualTo("mine");
        giveAway(link);
        assertRefused(link.resolve("mine"), link + ": it belongs to another user");
        giveAway(real);
        assertRefused(real.resolve("mine"), real + ": it belongs to another user");
    }

    @Test
    void linksInACircleEnd() throws IOException {
        Path link = folder.resolve("round");
        Files.createSymbolicLink(link, Path.of("round"));
        assertRefused(link.resolve("mine"), "too many symbolic links");
    }

    @Test
    void aFolderIsThisUsersAlone() throws IOException {
        Path own = folder.resolve("a/b");
        OwnFiles.createFolders(own);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own.getParent())))
                .isEqualTo("rwx------");
        OwnFiles.checkFolder(own);
        mode(own, 0755);
        OwnFiles.checkFolder(own);
        for (int loose : new int[] {0777, 0775, 01777}) {
            mode(own, loose);
            assertThatThrownBy(() -> OwnFiles.checkFolder(own)).hasMessageContaining("chmod 700");
        }
        mode(own, 0700);
        Path link = Files.createSymbolicLink(folder.resolve("link"), own);
        OwnFiles.checkFolder(link);
        assertThatThrownBy(() -> OwnFiles.checkInner(link)).hasMessageContaining("symbolic link");
        assertThatThrownBy(() -> OwnFiles.checkInner(file)).hasMessageContaining("no folder");
        mode(folder.resolve("a"), 0777);
        assertThatThrownBy(() -> OwnFiles.checkFolder(own))
                .hasMessageContaining(folder.resolve("a") + ": others may write");
        mode(folder.resolve("a"), 01777);
        OwnFiles.checkFolder(own);
        giveAway(link);
        assertThatThrownBy(() -> OwnFiles.checkFolder(link)).hasMessageContaining("another user");
        giveAway(own);
        assertThatThrownBy(() -> OwnFiles.checkInner(own)).hasMessageContaining("another user");
    }

    @Test
    void aGroupWithTheNumberOfItsUserHasNoOtherMembers() {
        assertThat(new Entry(file, 040775, 1000, 1000, 2).isWrittenByOthers()).isFalse();
        assertThat(new Entry(file, 040775, 1000, 100, 2).isWrittenByOthers()).isTrue();
        assertThat(new Entry(file, 040775, 0, 0, 2).isWrittenByOthers()).isTrue();
        assertThat(new Entry(file, 040777, 1000, 1000, 2).isWrittenByOthers()).isTrue();
    }

    @Test
    void whatIsMadeIsForThisUserAlone() throws IOException {
        Path fresh = folder.resolve("fresh");
        OwnFiles.create(fresh, StandardOpenOption.CREATE_NEW).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fresh)))
                .isEqualTo("rw-------");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        assertThatThrownBy(
                        () -> OwnFiles.create(link, StandardOpenOption.CREATE).close())
                .isInstanceOf(IOException.class);
    }

    @Test
    void namesAreFilesOrAreRefused() throws IOException {
        assertThat(OwnFiles.isFile(file)).isTrue();
        assertThat(OwnFiles.isFile(folder.resolve("none"))).isFalse();
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        assertThatThrownBy(() -> OwnFiles.isFile(link)).hasMessageContaining("no regular file");
        assertThatThrownBy(() -> OwnFiles.isFile(folder)).hasMessageContaining("no regular file");
        assertThatCode(() -> OwnFiles.isFile(file)).doesNotThrowAnyException();
    }
}

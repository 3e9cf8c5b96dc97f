package open;

public interface Kinds {
    String NAME = "kinds";

    String name();

    default int size() {
        return hidden();
    }

    private int hidden() {
        return 0;
    }

    enum Colour {
        RED,
        BLUE {
            @Override
            public String text() {
                return "blue";
            }
        };

        public String text() {
            return "red";
        }
    }

    record Pair(int first, String second) implements Kinds {
        @Override
        public String name() {
            return second;
        }
    }

    @interface Marked {
        int value() default 1;
    }

    final class Wrong extends IllegalStateException {
        private static final long serialVersionUID = 1;

        public Wrong(Throwable cause) {
            super(cause);
        }
    }
}

package dev.millrace.text.template;

import dev.millrace.graph.EngineException;

/** The text of a template, with line ends as Jinja reads them: {@code \n}, and none at the end of the text. */
record Source(String text) {
    private static final int LONGEST = 1 << 20;

    static Source of(String template) {
        if (template.length() > LONGEST) {
            throw EngineException.invalidArgument(
                    "the template has " + template.length() + " chars; the longest that is read has " + LONGEST);
        }
        String text = template.replace("\r\n", "\n").replace('\r', '\n');
        return new Source(text.endsWith("\n") ? text.substring(0, text.length() - 1) : text);
    }

    /** An exception that names the line and the column. */
    EngineException error(int at, String what) {
        int line = 1;
        int lineStart = 0;
        for (int i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) {
            line++;
            lineStart = i + 1;
        }
        return EngineException.invalidArgument("line " + line + ", column " + (at - lineStart + 1) + ": " + what);
    }
}

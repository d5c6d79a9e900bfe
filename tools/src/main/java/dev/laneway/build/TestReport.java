package dev.laneway.build;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** What the test reports of all modules say, one entry for each test that ran or was skipped. Immutable. */
record TestReport(List<Case> cases) {

    TestReport {
        cases = List.copyOf(cases);
    }

    enum Result {
        PASSED,
        FAILED,
        SKIPPED
    }

    /**
     * One test.
     *
     * @param module directory of its module
     * @param file simple name of the top-level test class
     * @param container display name of the class or nested class
     * @param name display name of the test
     * @param said why it failed, without empty lines; empty unless it did
     */
    record Case(String module, String file, String container, String name, Result result, String said) {}

    long count(Result result) {
        return cases.stream().filter(test -> test.result() == result).count();
    }

    /** Reads {@code <module>/target/surefire-reports/TEST-*.xml} of every module below {@code root}. */
    static TestReport of(Path root) throws IOException {
        var cases = new ArrayList<Case>();
        try (var modules = Files.newDirectoryStream(root, Files::isDirectory)) {
            for (Path module : modules) {
                Path reports = module.resolve("target/surefire-reports");
                if (Files.isDirectory(reports)) {
                    try (var files = Files.newDirectoryStream(reports, "TEST-*.xml")) {
                        for (Path file : files) {
                            read(String.valueOf(module.getFileName()), file, cases);
                        }
                    }
                }
            }
        }
        return new TestReport(cases);
    }

    // Streamed, since a report also holds all that its tests printed.
    private static void read(String module, Path file, List<Case> into) throws IOException {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        String testClass =
                file.getFileName().toString().replaceFirst("^TEST-", "").replaceFirst("\\.xml$", "");
        String simpleName = testClass.substring(testClass.lastIndexOf('.') + 1);
        try (InputStream in = Files.newInputStream(file)) {
            XMLStreamReader xml = factory.createXMLStreamReader(in);
            while (xml.hasNext()) {
                if (xml.next() == XMLStreamConstants.START_ELEMENT
                        && xml.getLocalName().equals("testcase")) {
                    into.add(test(module, simpleName, xml));
                }
            }
        } catch (XMLStreamException e) {
            throw new IOException("cannot read the test report " + file, e);
        }
    }

    private static String attribute(XMLStreamReader xml, String name) {
        String value = xml.getAttributeValue(null, name);
        return value == null ? "" : value;
    }

    private static Case test(String module, String file, XMLStreamReader xml) throws XMLStreamException {
        String container = attribute(xml, "classname");
        String name = attribute(xml, "name");
        Result result = Result.PASSED;
        String said = "";
        while (true) {
            int event = xml.next();
            if (event == XMLStreamConstants.START_ELEMENT) {
                switch (xml.getLocalName()) {
                    case "failure", "error" -> {
                        result = Result.FAILED;
                        said = told(attribute(xml, "message"), attribute(xml, "type"));
                    }
                    case "skipped" -> result = Result.SKIPPED;
                    default -> {
                        // Output and re-run details say nothing about the result.
                    }
                }
            } else if (event == XMLStreamConstants.END_ELEMENT
                    && xml.getLocalName().equals("testcase")) {
                return new Case(module, file, container, name, result, said);
            }
        }
    }

    private static String told(String message, String type) {
        String told = message.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .collect(Collectors.joining("\n"));
        return told.isEmpty() ? type : told;
    }
}

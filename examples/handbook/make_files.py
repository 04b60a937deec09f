"""Makes the handbook's PDF and DOCX. Run it after changing the text below: `python examples/handbook/make_files.py`."""

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from docx import Document
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer

HERE = Path(__file__).parent

AGREEMENT = (
    (
        "Data processing summary",
        (
            "This summary explains the data processing agreement between Pemberloft and its customers. The signed agreement "
            "comes first wherever the two differ."
        ),
        (
            "Pemberloft processes personal data only on the written instructions of the customer. The customer remains the "
            "controller of the data."
        ),
    ),
    (
        "Subprocessors",
        (
            "Pemberloft uses three subprocessors: Halvard Hosting for storage, Brevin Mail for messages and Quaypay for "
            "payments."
        ),
        (
            "Customers are told about a new subprocessor 30 days before it starts. They may object in writing within that "
            "time."
        ),
    ),
    (
        "Breaches and audits",
        "Pemberloft reports a personal data breach to the customer within 36 hours of noticing it.",
        "A customer may audit Pemberloft once a year, with 20 working days of notice, at the customer's own cost.",
    ),
)

LEAVE = (
    ("Leave and benefits", 1, "This page is for everybody who works at Pemberloft. It applies from 1 January 2026."),
    ("Holidays", 2, ("Employees in Belgium and Germany have 30 days of holiday a year. Employees in the United States "
                    "have 25 days. Employees in Japan have 24 days.")),
    ("Parental leave", 2, ("Each parent has 16 weeks of paid parental leave, wherever they work. The weeks can be taken "
                          "in up to three parts until the child is two years old.")),
    ("Learning", 2, "Everybody has a learning budget of 1,200 EUR a year. Unused money does not move to the next year."),
    ("Equipment", 2, "A laptop is replaced after four years. Employees may buy their old laptop for 50 EUR."),
)  # fmt: skip


def make_pdf(path: Path) -> None:
    """One chapter per page, the same bytes on every run."""
    styles = getSampleStyleSheet()
    story: list[object] = []
    for title, *paragraphs in AGREEMENT:
        if story:
            story.append(PageBreak())
        story.append(Paragraph(title, styles["Heading1"]))
        for text in paragraphs:
            story += [Paragraph(text, styles["BodyText"]), Spacer(1, 8)]
    SimpleDocTemplate(
        str(path), pagesize=A4, title="Data processing summary", author="Pemberloft", invariant=True
    ).build(story)


def make_docx(path: Path) -> None:
    """Headings, paragraphs and one table."""
    document = Document()
    for title, level, text in LEAVE:
        document.add_heading(title, level)
        document.add_paragraph(text)
    document.add_heading("Who to ask", 2)
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Subject", "Person"
    for subject, person in (
        ("Holidays", "Noor van Aerden"),
        ("Learning", "Ilse Dragan"),
        ("Laptops", "Goran Achterberg"),
    ):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = subject, person
    document.core_properties.title = "Leave and benefits"
    document.core_properties.author = "Pemberloft People team"
    document.core_properties.created = document.core_properties.modified = datetime(2026, 1, 1, tzinfo=UTC)
    saved = BytesIO()
    document.save(saved)
    with ZipFile(saved) as made, ZipFile(path, "w", ZIP_DEFLATED) as kept:
        for (
            name
        ) in made.namelist():  # entries carry the time of writing: fix it, so that nothing changes without a reason
            kept.writestr(ZipInfo(name, (2026, 1, 1, 0, 0, 0)), made.read(name), ZIP_DEFLATED)


if __name__ == "__main__":
    make_pdf(HERE / "legal" / "data-processing-summary.pdf")
    make_docx(HERE / "people" / "leave-and-benefits.docx")
